import { canonicalJson } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { type AdpItem, type AdpTrajectory, adpWrittenVersion } from '../../schemas/interchange/adp.ts';
import type { OpenaiConversation, OpenaiMessage } from '../../schemas/interchange/openaiChat.ts';
import { OWN_KEY } from '../../schemas/interchange/ownRun.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { renderAtif, restoreAtif } from './atif.ts';
import type { ExportFormat, ExportRun, ExportTurn } from './exportRun.ts';
import { runOfTrace, runOfTrajectory } from './runOfTrace.ts';

/** A trace in another system's format. `version` is that of coa-distill. */
export function exportTrace(
  trace: Trace,
  profile: Profile,
  format: ExportFormat,
  version: string,
): JsonObject {
  const restored = format === 'atif' ? restoreAtif(trace) : undefined;
  return restored ? asJson(restored) : rendered(runOfTrace(trace, profile), format, version);
}

/** A trajectory in another system's format. `version` is that of coa-distill. */
export function exportTrajectory(
  trajectory: Trajectory,
  profile: Profile,
  format: ExportFormat,
  version: string,
): JsonObject {
  return rendered(runOfTrajectory(trajectory, profile), format, version);
}

function rendered(run: ExportRun, format: ExportFormat, version: string): JsonObject {
  if (format === 'atif') return asJson(renderAtif(run, version));
  return asJson(format === 'adp' ? renderAdp(run) : renderOpenai(run));
}

function asJson(value: object): JsonObject {
  return value as unknown as JsonObject;
}

/** A run as a trajectory of the Agent Data Protocol: each action directly before what it led to. */
function renderAdp(run: ExportRun): AdpTrajectory {
  return {
    schema_version: adpWrittenVersion,
    id: run.id,
    content: [
      { class_: 'text_observation', content: run.question, source: 'user' },
      ...run.turns.flatMap(itemsOf),
    ],
    details: { [OWN_KEY]: run.own as unknown as JsonObject },
  };
}

function itemsOf({ reasoning, text, calls }: ExportTurn): AdpItem[] {
  const thought = reasoning === null ? {} : { reasoning_content: reasoning };
  if (calls.length === 0) return [{ class_: 'message_action', content: text, ...thought }];
  return calls.flatMap(({ name, input, observation }, at): AdpItem[] => [
    {
      class_: 'api_action',
      function: name,
      kwargs: input,
      // What was thought and said before several calls stands before the first of them.
      ...(at === 0 && thought),
      ...(at === 0 && text !== '' && { description: text }),
    },
    { class_: 'text_observation', content: observation, source: 'environment' },
  ]);
}

/** A run as one conversation of a fine-tuning file, thinking in `reasoning_content`. */
function renderOpenai(run: ExportRun): OpenaiConversation {
  const question: OpenaiMessage = { role: 'user', content: run.question };
  return { messages: [question, ...run.turns.flatMap(messagesOf)], [OWN_KEY]: run.own };
}

function messagesOf({ reasoning, text, calls }: ExportTurn): OpenaiMessage[] {
  const thought = reasoning === null ? {} : { reasoning_content: reasoning };
  if (calls.length === 0) return [{ role: 'assistant', content: text, ...thought }];
  const tool_calls = calls.map(({ id, name, input }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: canonicalJson(input) },
  }));
  return [
    { role: 'assistant', content: text === '' ? null : text, ...thought, tool_calls },
    ...calls.map(
      ({ id, observation }): OpenaiMessage => ({ role: 'tool', tool_call_id: id, content: observation }),
    ),
  ];
}
