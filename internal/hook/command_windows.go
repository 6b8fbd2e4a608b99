package hook

import (
	"os/exec"
	"strconv"
)

// endWithChildren kills the command and the processes that it started when the command's context ends. Windows has no
// request to end. A process whose parent has already ended is not found.
func endWithChildren(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run(); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
}

// killChildren does nothing: the children were killed with the command.
func killChildren(*exec.Cmd) {}
