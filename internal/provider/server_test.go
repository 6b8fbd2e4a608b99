package provider

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dirty adds a diagnostic to each answer, which clears the screen, and ends with a
// cancelled context.
type dirty struct{ fullServer }

const dirt = "x\x1b[2J\r"

func said() []*tfprotov6.Diagnostic {
	name := strings.Repeat("x", 1<<20)
	return []*tfprotov6.Diagnostic{{Summary: dirt + "\ny" + name, Detail: "one..\n" + name + "\n" + dirt + ": " + context.Canceled.Error()}}
}

func (dirty) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{Diagnostics: said()}, nil
}

func (dirty) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: said()}, nil
}

func (dirty) ReadResource(context.Context, *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{Diagnostics: said()}, nil
}

func (dirty) PlanResourceChange(context.Context, *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return &tfprotov6.PlanResourceChangeResponse{Diagnostics: said()}, nil
}

func (dirty) ApplyResourceChange(context.Context, *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return &tfprotov6.ApplyResourceChangeResponse{Diagnostics: said()}, nil
}

func (dirty) ImportResourceState(context.Context, *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return &tfprotov6.ImportResourceStateResponse{Diagnostics: said()}, nil
}

func (dirty) ValidateDataResourceConfig(context.Context, *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: said()}, nil
}

func (dirty) ReadDataSource(context.Context, *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return &tfprotov6.ReadDataSourceResponse{Diagnostics: said()}, nil
}

func (dirty) CallFunction(context.Context, *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return &tfprotov6.CallFunctionResponse{Error: &tfprotov6.FunctionError{Text: dirt + strings.Repeat("x", 1<<20)}}, nil
}

func (dirty) ValidateActionConfig(context.Context, *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	return &tfprotov6.ValidateActionConfigResponse{Diagnostics: said()}, nil
}

func (dirty) PlanAction(context.Context, *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return &tfprotov6.PlanActionResponse{Diagnostics: said()}, nil
}

func (dirty) InvokeAction(context.Context, *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
		_ = push(tfprotov6.InvokeActionEvent{Type: tfprotov6.ProgressInvokeActionEventType{Message: dirt}}) &&
			push(tfprotov6.InvokeActionEvent{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: said()}})
	}}, nil
}

// TestCleanServer: no answer of the provider reports a control character, even if the
// code forgot to clean it.
func TestCleanServer(t *testing.T) {
	server, faced := reflect.ValueOf(&cleanServer{fullServer: dirty{}}), 0
	for i := range server.NumMethod() {
		name := server.Type().Method(i).Name
		if _, ok := reflect.TypeFor[dirty]().MethodByName(name); !ok || server.Method(i).Type().NumIn() != 2 {
			continue
		}
		func() {
			defer func() {
				if recover() != nil {
					return // dirty does not have this method itself
				}
			}()
			answer := server.Method(i).Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.New(server.Method(i).Type().In(1).Elem())})[0].Elem()
			var text string
			if name == "CallFunction" {
				text = answer.Interface().(tfprotov6.CallFunctionResponse).Error.Text
			} else {
				d := answer.FieldByName("Diagnostics").Interface().([]*tfprotov6.Diagnostic)[0]
				if text = d.Detail; strings.Contains(d.Summary, "\n") || !strings.HasPrefix(d.Detail, "one.\n") ||
					!strings.HasSuffix(d.Detail, ": Terraform was interrupted") {
					t.Errorf("%s: got %q", name, d)
				}
				text += d.Summary
			}
			faced++
			assert.NotRegexp(t, "[\x1b\r]", text, name)
			assert.Less(t, len(text), 3*longestLine, "%s: bytes", name)
		}()
	}
	stream, err := (&cleanServer{fullServer: dirty{}}).InvokeAction(t.Context(), nil)
	require.NoError(t, err)
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			faced++
			assert.NotRegexp(t, "[\x1b\r]", event.Message, "the progress")
		case tfprotov6.CompletedInvokeActionEventType:
			faced++
			assert.NotRegexp(t, "[\x1b\r]", event.Diagnostics[0].Summary+event.Diagnostics[0].Detail, "the end of an action")
		}
	}
	assert.Equal(t, 13, faced, "answers and events with text of others in them")
}

// busy has an action that ends a moment after it is interrupted.
type busy struct {
	fullServer
	stop chan struct{}
}

func (b busy) InvokeAction(context.Context, *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
		<-b.stop
		time.Sleep(50 * time.Millisecond)
		push(tfprotov6.InvokeActionEvent{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: said()}})
	}}, nil
}

func (b busy) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	close(b.stop)
	return &tfprotov6.StopProviderResponse{}, nil
}

// TestStopProvider: an interrupt ends after the last words of an action, without which Terraform takes the action
// for a completed one. No action begins in a context that has ended.
func TestStopProvider(t *testing.T) {
	server := &cleanServer{fullServer: busy{stop: make(chan struct{})}}
	stream, err := server.InvokeAction(t.Context(), nil)
	require.NoError(t, err)
	var events atomic.Int64
	go func() {
		for range stream.Events {
			events.Add(1)
		}
	}()
	_, err = server.StopProvider(t.Context(), nil)
	require.NoError(t, err)
	assert.EqualValues(t, 1, events.Load(), "events before the end of the interrupt")
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = server.InvokeAction(ended, nil)
	assert.EqualError(t, err, "Terraform was interrupted")
}
