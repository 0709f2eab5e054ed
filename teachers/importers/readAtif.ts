import type { JsonObject, JsonValue } from '../../base/json.ts';
import { type AtifTrajectory, atifTrajectorySchema } from '../../schemas/interchange/atif.ts';
import { ownRunIn } from '../../schemas/interchange/ownRun.ts';
import { atifTurns, type LeftStep, textOf } from './atifTurns.ts';
import { parseRow, RowRefusal } from './rowRefusal.ts';
import { RowRemarks } from './rowRemarks.ts';
import type { ForeignRun, Reading } from './runs/foreignRun.ts';

/**
 * Reads an ATIF document (1.0 to 1.7). Steps that agents did not write, copied context, images and sub-agents' own
 * documents are no part of the trace; they are kept in its `extra`, so that exporting gives the document back.
 */
export function readAtif(value: JsonValue, { onUnread }: Reading): ForeignRun {
  const document = parseRow(atifTrajectorySchema, value);
  const remarks = new RowRemarks(onUnread);
  const left: LeftStep[] = [];
  const turns = atifTurns(document, remarks, left);
  const { session_id, trajectory_id, agent } = document;
  const given = trajectory_id ?? session_id;
  return {
    ...(given != null && { given_id: given }),
    question: questionOf(document, remarks),
    answers: answersIn(document.extra),
    teacher: `${agent.name} ${agent.version}`,
    turns,
    own: ownRunIn(document.extra),
    extra: { atif: keptOf(document, left) },
    remarks: remarks.list(),
  };
}

function questionOf({ steps }: AtifTrajectory, remarks: RowRemarks): string {
  const asked = steps.flatMap((step, at) =>
    step.source === 'user' && step.is_copied_context !== true ? [at] : [],
  );
  if (asked.length > 1) {
    throw new RowRefusal(
      'unsupported_row',
      'second_user_message',
      `steps[${asked[1]}]`,
      'a trajectory answers one question, but the user speaks again here',
    );
  }
  return asked.length === 0 ? '' : textOf(steps[asked[0]!]!.message, `steps[${asked[0]}].message`, remarks);
}

/** Gold answers where the document's own `extra` has them. */
function answersIn(extra: JsonObject | null | undefined): string[] {
  const { answers, answer } = extra ?? {};
  const found = Array.isArray(answers) ? answers : [answer];
  return found.filter((text) => typeof text === 'string');
}

function keptOf(document: AtifTrajectory, left: readonly LeftStep[]): JsonObject {
  const { steps: _, ...root } = document;
  return { root, left } as unknown as JsonObject;
}
