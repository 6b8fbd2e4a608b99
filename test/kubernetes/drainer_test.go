// Package kubernetes_test checks the manifests of the guide "Kubernetes workers" against the types of Kubernetes,
// against the needs of the consumer and its script, and against each other. It is a module of its own, so that
// nothing else needs the library with these types.
package kubernetes_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/yaml"
)

const guide = "../../examples/guides/kubernetes-workers"

// manifests are the objects of the guide, one of each kind.
type manifests struct {
	namespace  *corev1.Namespace
	account    *corev1.ServiceAccount
	role       *rbacv1.ClusterRole
	binding    *rbacv1.ClusterRoleBinding
	claim      *corev1.PersistentVolumeClaim
	deployment *appsv1.Deployment
	service    *corev1.Service
}

// decode reads documents strictly: an unknown or repeated field is an error, and so is an object of an unexpected
// kind, or a missing one.
func decode(text []byte) (m manifests, err error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(appsv1.AddToScheme(scheme), corev1.AddToScheme(scheme), rbacv1.AddToScheme(scheme)); err != nil {
		return m, err
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for n := 1; ; n++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return m, err
		}
		object, _, err := strict.Decode(document, nil, nil)
		if err != nil {
			return m, fmt.Errorf("document %d: %w", n, err)
		}
		switch o := object.(type) {
		case *corev1.Namespace:
			m.namespace = o
		case *corev1.ServiceAccount:
			m.account = o
		case *rbacv1.ClusterRole:
			m.role = o
		case *rbacv1.ClusterRoleBinding:
			m.binding = o
		case *corev1.PersistentVolumeClaim:
			m.claim = o
		case *appsv1.Deployment:
			m.deployment = o
		case *corev1.Service:
			m.service = o
		default:
			return m, fmt.Errorf("document %d: a %T was not expected", n, object)
		}
	}
	if m.namespace == nil || m.account == nil || m.role == nil || m.binding == nil || m.claim == nil || m.deployment == nil || m.service == nil {
		return m, fmt.Errorf("an object is missing: %+v", m)
	}
	return m, nil
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(guide, name))
	require.NoError(t, err)
	return text
}

// needs are the requests of kubectl in node.sh, as an API server received them.
var needs = []string{
	"/nodes delete get list patch watch", // get, drain (cordon), wait, delete
	"/pods get list",                     // drain: lists the pods, and checks whether they are gone
	"/pods/eviction create",
	"apps/daemonsets get",
}

// faults lists what is wrong with the manifests.
func (m manifests) faults() (list []string) {
	check := func(right bool, format string, args ...any) {
		if !right {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	namespace := m.namespace.Name
	for kind, at := range map[string]string{
		"service account": m.account.Namespace,
		"claim":           m.claim.Namespace,
		"deployment":      m.deployment.Namespace,
		"service":         m.service.Namespace,
	} {
		check(at == namespace, "the %s is in the namespace %q, not in %q", kind, at, namespace)
	}

	subject := rbacv1.Subject{Kind: "ServiceAccount", Name: m.account.Name, Namespace: m.account.Namespace}
	check(slices.Equal(m.binding.Subjects, []rbacv1.Subject{subject}), "the role is bound to %v", m.binding.Subjects)
	role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: m.role.Name}
	check(m.binding.RoleRef == role, "the binding is of %v", m.binding.RoleRef)
	var rights []string
	for _, rule := range m.role.Rules {
		check(len(rule.ResourceNames) == 0 && len(rule.NonResourceURLs) == 0, "a rule is about names: %v", rule)
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				rights = append(rights, group+"/"+resource+" "+strings.Join(slices.Sorted(slices.Values(rule.Verbs)), " "))
			}
		}
	}
	slices.Sort(rights)
	check(slices.Equal(rights, needs), "the role has the rights %q, and needs %q", rights, needs)

	template := m.deployment.Spec.Template
	pod := template.Spec
	check(pod.ServiceAccountName == m.account.Name, "the pod runs as %q", pod.ServiceAccountName)
	for kind, selector := range map[string]map[string]string{"deployment": m.deployment.Spec.Selector.MatchLabels, "service": m.service.Spec.Selector} {
		selects := len(selector) > 0 && labels.SelectorFromSet(selector).Matches(labels.Set(template.Labels))
		check(selects, "the %s selects %v, not %v", kind, selector, template.Labels)
	}

	// The pod does not run on workers, and its file has one writer.
	const controlPlane = "node-role.kubernetes.io/control-plane"
	check(maps.Equal(pod.NodeSelector, map[string]string{controlPlane: ""}), "it may run on %v", pod.NodeSelector)
	taint := corev1.Taint{Key: controlPlane, Effect: corev1.TaintEffectNoSchedule}
	tolerates := func(t corev1.Toleration) bool {
		return t.Key == taint.Key && t.Operator == corev1.TolerationOpExists && t.Effect == taint.Effect
	}
	check(slices.ContainsFunc(pod.Tolerations, tolerates), "it does not tolerate %v: %v", taint, pod.Tolerations)
	check(*m.deployment.Spec.Replicas == 1 && m.deployment.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType, "there may be two of it")

	if len(pod.Containers) != 1 || len(pod.Volumes) != 1 || len(pod.Containers[0].VolumeMounts) != 1 || len(pod.Containers[0].Ports) != 1 ||
		len(m.service.Spec.Ports) != 1 {
		return append(list, "there is not one container, volume, mount and port")
	}
	c, volume, mount := pod.Containers[0], pod.Volumes[0], pod.Containers[0].VolumeMounts[0]
	claim := volume.PersistentVolumeClaim
	check(claim != nil && claim.ClaimName == m.claim.Name && mount.Name == volume.Name && !mount.ReadOnly, "the file is on %v, mounted as %v", volume, mount)
	port, served := c.Ports[0], m.service.Spec.Ports[0]
	arguments := len(c.Args) == 3 && c.Args[0] == fmt.Sprintf(":%d", port.ContainerPort) && c.Args[2] == mount.MountPath+"/drained.log"
	check(arguments, "the consumer has the arguments %q", c.Args)
	check(served.TargetPort.StrVal == port.Name && port.Name != "", "the service leads to %v, and the port is %q", served.TargetPort, port.Name)
	check(len(validation.IsValidPortName(port.Name)) == 0, "%q is not a name of a port", port.Name)
	check(served.NodePort >= 30000 && served.NodePort <= 32767, "%d is not a node port", served.NodePort)
	check(c.ReadinessProbe.TCPSocket.Port.StrVal == port.Name, "the probe asks %v", c.ReadinessProbe.TCPSocket.Port)
	secret := func(e corev1.EnvVar) bool {
		return e.Name == "WEBHOOK_SECRET" && e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil &&
			e.ValueFrom.SecretKeyRef.Name == "drainer" && e.ValueFrom.SecretKeyRef.Key == "webhook-secret"
	}
	check(slices.ContainsFunc(c.Env, secret), "it does not have the secret: %v", c.Env)

	// The pod fulfils the namespace's demands ("restricted"), and its user may write the file.
	check(m.namespace.Labels["pod-security.kubernetes.io/enforce"] == "restricted", "the namespace has the labels %v", m.namespace.Labels)
	of, own := pod.SecurityContext, c.SecurityContext
	check(*of.RunAsNonRoot && *of.RunAsUser != 0 && of.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault, "the pod runs as %v", of)
	check(*of.FSGroup == *of.RunAsGroup, "its group may not write the volume: %v", of)
	check(!*own.AllowPrivilegeEscalation && slices.Equal(own.Capabilities.Drop, []corev1.Capability{"ALL"}) && len(own.Capabilities.Add) == 0,
		"the container has %v", own)
	return list
}

// TestDrainer: the manifests are of the types of Kubernetes, fit together, and give kubectl exactly the rights that
// it needs.
func TestDrainer(t *testing.T) {
	text := read(t, "consumer/drainer.yaml")
	m, err := decode(text)
	require.NoError(t, err)
	assert.Empty(t, m.faults())
	container := m.deployment.Spec.Template.Spec.Containers[0]
	image := string(read(t, "consumer/Containerfile"))
	for _, line := range []string{"node.sh " + container.Args[1], `ENTRYPOINT ["/usr/local/bin/consumer"]`, "/consumer /usr/local/bin/consumer"} {
		assert.Contains(t, image, line, "the image")
	}
	page, err := os.ReadFile("../../templates/guides/kubernetes-workers.md.tmpl")
	require.NoError(t, err)
	for _, words := range []string{"secret generic drainer --namespace=drainer --from-file=webhook-secret=",
		fmt.Sprintf(":%d/", m.service.Spec.Ports[0].NodePort), container.Image} {
		assert.Contains(t, string(page), words, "the guide")
	}
}

// TestScript: the recorded calls of kubectl are the calls of the script.
func TestScript(t *testing.T) {
	got := regexp.MustCompile(`kubectl [a-z]+ .*`).FindAllString(string(read(t, "command/node.sh")), -1)
	want := []string{
		`kubectl get node "$name" --ignore-not-found --output=name; }`,
		`kubectl wait --for=condition=Ready "node/$name" --timeout=15m`,
		`kubectl drain "$name" --ignore-daemonsets --delete-emptydir-data`,
		`kubectl delete node "$name"`,
	}
	assert.Equal(t, want, got, "the calls of the script: find out what rights they need")
}

// TestScriptAsksAgain: if kubectl fails once, the script asks for a new worker again, and does not say that it has
// not joined.
func TestScriptAsksAgain(t *testing.T) {
	const kubectl = `#!/bin/sh
if [ "$1" = wait ]; then echo Ready; exit; fi
if [ -e "$0.failed" ]; then echo node/web-1; exit; fi
touch "$0.failed"
echo refused >&2
exit 1
`
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kubectl"), []byte(kubectl), 0o700)) //nolint:gosec // it is a program
	command := exec.CommandContext(t.Context(), "/bin/sh", filepath.Join(guide, "command/node.sh"))
	command.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "NODE_NAME=web-1", "TRANSITION=launch"}
	output, err := command.CombinedOutput()
	assert.NoError(t, err)
	assert.Equal(t, "refused\nReady\n", string(output), "what the script says")
}

// TestBroken: each mistake in the manifests is found.
func TestBroken(t *testing.T) {
	text := string(read(t, "consumer/drainer.yaml"))
	for _, c := range []struct{ old, replacement, want string }{
		{"  replicas: 1", "  replica: 1", `unknown field "spec.replica"`},
		{"  replicas: 1", "  replicas: 1\n  replicas: 1", "already set in map"},
		{"      storage: 100Mi", "      storage: 100 MB", "quantities must match"},
		{"kind: ServiceAccount\nmetadata", "kind: ServiceAcount\nmetadata", "no kind"},
		{"      serviceAccountName: drainer", "      serviceAccountName: default", `runs as "default"`},
		{"  - kind: ServiceAccount\n    name: drainer", "  - kind: ServiceAccount\n    name: other", "the role is bound to"},
		{"  kind: ClusterRole\n  name: drainer", "  kind: ClusterRole\n  name: other", "the binding is of"},
		{"[get, list, watch, patch, delete]", "[get, list, watch, delete]", "the role has the rights"},
		{"[get, list, watch, patch, delete]", "['*']", "the role has the rights"},
		{"resources: [pods/eviction]", "resources: [pods]", "the role has the rights"},
		{"apiGroups: [apps]", "apiGroups: ['']", "the role has the rights"},
		{"      labels:\n        app.kubernetes.io/name: drainer", "      labels:\n        app.kubernetes.io/name: consumer", "the service selects"},
		{"        node-role.kubernetes.io/control-plane: \"\"", "        kubernetes.io/os: linux", "it may run on"},
		{"effect: NoSchedule", "effect: NoExecute", "it does not tolerate"},
		{"type: Recreate", "type: RollingUpdate", "there may be two of it"},
		{"claimName: drainer", "claimName: other", "the file is on"},
		{`args: [":8080"`, `args: [":8081"`, "the consumer has the arguments"},
		{"      targetPort: http", "      targetPort: web", "the service leads to"},
		{"nodePort: 30080", "nodePort: 8080", "not a node port"},
		{"key: webhook-secret", "key: secret", "it does not have the secret"},
		{"metadata:\n  name: drainer\n  namespace: drainer\nspec:\n  type", "metadata:\n  name: drainer\nspec:\n  type", "the service is in the namespace"},
		{"drop: [ALL]", "drop: [NET_RAW]", "the container has"},
		{"fsGroup: 65532", "fsGroup: 1", "may not write the volume"},
	} {
		broken := strings.Replace(text, c.old, c.replacement, 1)
		require.NotEqual(t, text, broken, "there is no %q", c.old)
		m, err := decode([]byte(broken))
		said := fmt.Sprint(err)
		if err == nil {
			said = strings.Join(m.faults(), "; ")
		}
		assert.Contains(t, said, c.want, c.replacement)
	}
}
