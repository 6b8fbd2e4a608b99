package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// server answers kubectl as an API server does, with one worker that joins late: it has a pod of a deployment and one
// of a daemon set. The client has exactly the rights of a role.
type server struct {
	*httptest.Server
	role    *rbacv1.ClusterRole
	mu      sync.Mutex
	used    map[string]bool // rights, as in needs, with one verb each
	asked   int             // number of requests for the worker
	node    *corev1.Node    // nil after its deletion
	pods    []corev1.Pod
	evicted []string
}

func serve(t *testing.T, role *rbacv1.ClusterRole) *server {
	t.Helper()
	pod := func(name, owner string) corev1.Pod {
		yes := true
		return corev1.Pod{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID("uid-of-" + name),
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: owner, Name: "owner", UID: "1", Controller: &yes}}},
			Spec: corev1.PodSpec{NodeName: "web-1",
				Volumes: []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}},
		}
	}
	s := &server{role: role, used: map[string]bool{}, pods: []corev1.Pod{pod("front", "ReplicaSet"), pod("logs", "DaemonSet")}, node: &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: "web-1", UID: "uid-of-node", ResourceVersion: "7"},
	}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// discovery has the answers that every user gets from an API server.
var discovery = map[string]any{
	"/api": metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}},
	"/apis": metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
		Groups: []metav1.APIGroup{{Name: "apps", Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: "apps/v1", Version: "v1"}},
			PreferredVersion: metav1.GroupVersionForDiscovery{GroupVersion: "apps/v1", Version: "v1"}}}},
	"/api/v1": metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "v1",
		APIResources: []metav1.APIResource{
			{Name: "nodes", SingularName: "node", Kind: "Node", ShortNames: []string{"no"}, Verbs: metav1.Verbs{"get", "list", "watch", "patch", "delete"}},
			{Name: "pods", SingularName: "pod", Kind: "Pod", Namespaced: true, Verbs: metav1.Verbs{"get", "list", "delete"}},
			{Name: "pods/eviction", Kind: "Eviction", Group: "policy", Version: "v1", Namespaced: true, Verbs: metav1.Verbs{"create"}},
		}},
	"/apis/apps/v1": metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "apps/v1",
		APIResources: []metav1.APIResource{
			{Name: "daemonsets", SingularName: "daemonset", Kind: "DaemonSet", Namespaced: true, Verbs: metav1.Verbs{"get"}},
		}},
}

// resource returns the resource of a request, as RBAC sees it.
func resource(r *http.Request) (group, kind, name, verb string) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if parts[0] == "apis" {
		group, parts = parts[1], parts[1:]
	}
	parts = parts[min(2, len(parts)):]
	if len(parts) > 1 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	parts = append(parts, "", "", "")
	kind, name = parts[0], parts[1]
	if parts[2] != "" {
		kind += "/" + parts[2]
	}
	verb = map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPatch: "patch", http.MethodDelete: "delete"}[r.Method]
	switch {
	case verb == "get" && r.URL.Query().Has("watch"):
		verb = "watch"
	case verb == "get" && name == "":
		verb = "list"
	}
	return group, kind, name, verb
}

func (s *server) permits(group, kind, verb string) bool {
	return slices.ContainsFunc(s.role.Rules, func(r rbacv1.PolicyRule) bool {
		return slices.Contains(r.APIGroups, group) && slices.Contains(r.Resources, kind) && slices.Contains(r.Verbs, verb)
	})
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	say := func(status int, answer any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(answer)
	}
	failure := func(status int32, reason metav1.StatusReason, format string, args ...any) {
		say(int(status), metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
			Code: status, Reason: reason, Message: fmt.Sprintf(format, args...)})
	}
	if answer, ok := discovery[strings.TrimSuffix(r.URL.Path, "/")]; ok {
		say(http.StatusOK, answer)
		return
	}
	if !strings.HasPrefix(r.URL.Path, "/api/v1/") && !strings.HasPrefix(r.URL.Path, "/apis/apps/v1/") {
		failure(http.StatusNotFound, metav1.StatusReasonNotFound, "there is no %s", r.URL.Path)
		return
	}
	group, kind, name, verb := resource(r)
	s.used[group+"/"+kind+" "+verb] = true
	if !s.permits(group, kind, verb) {
		failure(http.StatusForbidden, metav1.StatusReasonForbidden, "the role does not permit %s of %s/%s", verb, group, kind)
		return
	}
	missing := func() { failure(http.StatusNotFound, metav1.StatusReasonNotFound, "there is no %s %s", kind, name) }
	done := metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess}
	of := func(p corev1.Pod) bool { return p.Name == name }
	switch what := kind + " " + verb; what {
	case "nodes get":
		if s.asked++; s.node == nil || s.asked == 1 {
			missing()
			return
		}
		say(http.StatusOK, s.node)
	case "nodes list":
		say(http.StatusOK, corev1.NodeList{TypeMeta: metav1.TypeMeta{Kind: "NodeList", APIVersion: "v1"}, ListMeta: metav1.ListMeta{ResourceVersion: "7"},
			Items: []corev1.Node{*s.node}})
	case "nodes watch":
		s.node.ResourceVersion = "8"
		s.node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		say(http.StatusOK, map[string]any{"type": "MODIFIED", "object": s.node})
		_ = http.NewResponseController(w).Flush()
		s.mu.Unlock()
		<-r.Context().Done()
		s.mu.Lock()
	case "nodes patch":
		s.node.Spec.Unschedulable = true
		say(http.StatusOK, s.node)
	case "nodes delete":
		if slices.ContainsFunc(s.pods, func(p corev1.Pod) bool { return p.Name == "front" }) || !s.node.Spec.Unschedulable {
			failure(http.StatusConflict, metav1.StatusReasonConflict, "it is not drained")
			return
		}
		s.node = nil
		say(http.StatusOK, done)
	case "pods list":
		say(http.StatusOK, corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, Items: s.pods})
	case "pods get":
		if i := slices.IndexFunc(s.pods, of); i >= 0 {
			say(http.StatusOK, s.pods[i])
			return
		}
		missing()
	case "pods/eviction create":
		s.evicted = append(s.evicted, name)
		s.pods = slices.DeleteFunc(s.pods, of)
		say(http.StatusCreated, done)
	case "daemonsets get":
		say(http.StatusOK, appsv1.DaemonSet{TypeMeta: metav1.TypeMeta{Kind: "DaemonSet", APIVersion: "apps/v1"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"}})
	default:
		failure(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "%s is not known", what)
	}
}

// follow runs the script of the guide, with a real kubectl, for a worker that joins and leaves.
func (s *server) follow(t *testing.T) (output string, err error) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: here, cluster: {server: %q}}]
contexts: [{name: here, context: {cluster: here, user: ""}}]
current-context: here
`, s.URL), 0o600))
	for _, transition := range []string{"launch", "termination"} {
		command := exec.CommandContext(t.Context(), "/bin/sh", filepath.Join(guide, "command/node.sh"))
		// In the pod nobody can write to the home directory.
		command.Env = append(os.Environ(), "KUBECONFIG="+config, "HOME=/proc", "NODE_NAME=web-1", "TRANSITION="+transition)
		command.WaitDelay = time.Minute
		text, err := command.CombinedOutput()
		output += string(text)
		if err != nil {
			return output, fmt.Errorf("%s: %w", transition, err)
		}
	}
	return output, nil
}

// TestRights: with the rights of the role kubectl waits for a worker and drains it. It uses each right, and needs no
// other.
func TestRights(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("there is no kubectl")
	}
	text := read(t, "consumer/drainer.yaml")
	m, err := decode(text)
	require.NoError(t, err)
	s := serve(t, m.role)
	output, err := s.follow(t)
	if err != nil || s.node != nil || !slices.Equal(s.evicted, []string{"front"}) {
		t.Errorf("%v, the node %v, evicted %v\n%s", err, s.node, s.evicted, output)
	}
	var expected []string
	for _, need := range needs {
		words := strings.Fields(need)
		for _, verb := range words[1:] {
			expected = append(expected, words[0]+" "+verb)
		}
	}
	assert.ElementsMatch(t, expected, slices.Collect(maps.Keys(s.used)), "the rights that kubectl used: %s", output)

	m, err = decode([]byte(strings.Replace(string(text), "resources: [pods/eviction]", "resources: [pods]", 1)))
	require.NoError(t, err)
	output, err = serve(t, m.role).follow(t)
	assert.Error(t, err, "without the right to evict")
	assert.Contains(t, output, "does not permit create of /pods/eviction")
}
