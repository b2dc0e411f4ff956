package setup

import (
	"context"
	"errors"
	"fmt"

	"github.com/idelchi/aura/internal/agent/policy"
)

// askAccess decides about an access beyond the sandbox: the user approved or refused it before, or is asked. more returns why the user is not
// asked any more. The error is a *policy.RefusedError if the user refuses; nobody is asked about the same access again in the session.
func (s Source) askAccess(ctx context.Context, q policy.Question, more func() error) (policy.Decision, error) {
	if s.approved(q.About) {
		return policy.Always, nil
	}
	if s.Confirm == nil {
		return policy.Reject, errors.New("nobody can be asked here")
	}
	defer s.Approvals.Asking()()
	if ctx.Err() != nil {
		return policy.Reject, errors.New("the process ended before there was an answer")
	}
	if s.approved(q.About) { // while this question waited for another one
		return policy.Always, nil
	}
	if r, ok := s.Approvals.Refused(q.About); ok {
		return policy.Reject, &policy.RefusedError{Reason: r.Reason, Earlier: true}
	}
	if err := more(); err != nil {
		return policy.Reject, err
	}
	answer, err := s.Confirm(ctx, q)
	if err != nil {
		return policy.Reject, fmt.Errorf("nobody answered: %w", err)
	}
	if !q.Offers(answer.Decision) {
		answer = policy.Answer{Reason: answer.Reason, Via: answer.Via}
	}
	if answer.Decision == policy.Reject {
		s.Approvals.Refuse(policy.Refusal{Approval: q.About.Refusing(), Reason: answer.Reason})
	}
	if err := s.applyAnswer(q, answer); err != nil {
		return policy.Reject, err
	}
	return answer.Decision, nil
}
