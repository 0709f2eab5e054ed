import type { z } from 'zod';
import type { AtifStep, AtifTrajectory } from './atif.ts';

type Report = Pick<z.core.$RefinementCtx, 'addIssue'>;

const agentOnly = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'] as const;
const modelOnly = ['metrics', 'reasoning_content'] as const;

/** Fields that only an agent's step may have, and only one that called a model. */
export function checkAtifStep(step: AtifStep, { addIssue }: Report): void {
  const refuse = (field: keyof AtifStep, why: string) =>
    addIssue({ code: 'custom', path: [field], message: why, input: step[field] });
  if (step.source !== 'agent') {
    for (const field of agentOnly) {
      if (step[field] != null)
        refuse(field, `only steps of source agent may have it, this is ${step.source}`);
    }
  }
  if (step.source === 'agent' && step.llm_call_count === 0) {
    for (const field of modelOnly) {
      if (step[field] != null) refuse(field, 'a step with llm_call_count 0 called no model');
    }
  }
}

/** Step ids count from 1 without gaps; results name calls of their own step; embedded sub-agents have unique ids. */
export function checkAtifLinks(trajectory: AtifTrajectory, { addIssue }: Report): void {
  const refuse = (path: PropertyKey[], message: string, input: unknown) =>
    addIssue({ code: 'custom', path, message, input });
  trajectory.steps.forEach((step, at) => {
    if (step.step_id !== at + 1) {
      refuse(
        ['steps', at, 'step_id'],
        `expected ${at + 1} (from 1 without gaps), found ${step.step_id}`,
        step.step_id,
      );
    }
    const calls = new Set(step.tool_calls?.map((call) => call.tool_call_id));
    step.observation?.results.forEach(({ source_call_id: id }, nth) => {
      if (id == null || calls.has(id)) return;
      const path = ['steps', at, 'observation', 'results', nth, 'source_call_id'];
      refuse(path, `no tool call of this step has the id ${JSON.stringify(id)}`, id);
    });
  });
  const seen = new Set<string>();
  trajectory.subagent_trajectories?.forEach(({ trajectory_id: id }, at) => {
    const path = ['subagent_trajectories', at, 'trajectory_id'];
    if (id == null) refuse(path, 'an embedded sub-agent needs one', id);
    else if (seen.has(id)) refuse(path, `${JSON.stringify(id)} stands twice`, id);
    else seen.add(id);
  });
}
