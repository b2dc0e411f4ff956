package app

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// accepting returns a function that asks the user about a plan, and changes the mode from the next turn on if the user accepts it. No other tool
// runs meanwhile.
func accepting(s *Session) func(ctx context.Context, plan string) (string, error) {
	return func(ctx context.Context, plan string) (string, error) { return acceptPlan(ctx, s, plan) }
}

func acceptPlan(ctx context.Context, s *Session, plan string) (string, error) {
	mode, err := s.setup.AskPlan(ctx, plan)
	if err != nil {
		return "", err
	}
	found, err := setup.FindRole(s.setup.Config, s.setup.Role.Agent.Name, mode)
	if err != nil {
		return "", err
	}
	r := s.setup.Role
	r.Mode = found.Mode
	if err := s.switchTo(ctx, r, sdk.SwitchReasonUser); err != nil {
		return "", fmt.Errorf("the user accepted the plan, but the mode stays: %w", err)
	}
	return fmt.Sprintf("The user accepted the plan. The mode is %s from now on: carry the plan out.", mode), nil
}
