package hook

import (
	"os/exec"
	"strconv"
)

// endWithChildren has the command and the processes that it started killed when
// the command's context ends. Windows knows no request to end; a process whose
// parent has ended already is not found.
func endWithChildren(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run(); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
}

// killChildren does nothing: at a timeout they were killed with the command.
func killChildren(*exec.Cmd) {}
