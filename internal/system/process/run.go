package process

import "context"

// Run runs a process to its end. It kills the process and its descendants when ctx ends. The error is that of Wait.
func Run(ctx context.Context, s Spec) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p, err := Start(s)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	return p.Wait()
}
