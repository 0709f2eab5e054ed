import { renderPrompt } from '../../schemas/coa/profile.ts';
import { mhqaProfile } from '../../schemas/coa/profiles/mhqa.ts';
import { qwenSystemPrompt } from '../../schemas/config/dataset.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { mixedRows } from './mixedRows.ts';

/** Trajectories of the texts of `mixedRows`, so many bytes of them. */
export function mixedTrajectories(bytes: number): Trajectory[] {
  const trajectories: Trajectory[] = [];
  let size = 0;
  for (const pieces of mixedRows()) {
    const segments = pieces
      .flatMap(({ kind, text, origin }) => (kind === 'text' && origin !== 'prompt' ? [{ text, origin }] : []))
      // After the last segment the turn ends.
      .slice(0, -1)
      .map((part, at) => ({ ...part, tag: /^<(\w+)>/.exec(part.text)![1]!, event: `event_${at}` }));
    size += pieces.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    trajectories.push(trajectoryOf(trajectories.length, segments));
    if (size >= bytes) break;
  }
  return trajectories;
}

function trajectoryOf(row: number, segments: Trajectory['segments']): Trajectory {
  const question = `Question ${row}?`;
  return {
    id: `trajectory_${row}`,
    task_id: `task_${row}`,
    trace_id: `trace_${row}`,
    profile: mhqaProfile.name,
    domain: mhqaProfile.domain,
    system: qwenSystemPrompt,
    user: renderPrompt(mhqaProfile, question).user,
    question,
    answers: ['yes'],
    segments,
    quality: {
      interactions: 3,
      reflections: 0,
      plans: 1,
      redundant_tool_inputs: 0,
      first_double_check: null,
      neutralised: 0,
      verdicts: [],
    },
  };
}
