import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { unescapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { layOutBlocks } from '../../schemas/coa/layout.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import { renderPrompt } from '../../schemas/coa/profile.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { convertConfigSchema } from '../../schemas/config/convert.ts';
import type { AgentCallEvent, ToolCallEvent } from '../../schemas/trace.ts';
import { type Segment, trajectoryId, trajectorySchema } from '../../schemas/trajectory.ts';
import { convertTrace } from '../../stages/convert/createConvertStage.ts';
import { connectives } from '../../stages/convert/thoughts.ts';
import { modelText } from '../../stages/convert/traceBlocks.ts';
import { propertyRuns } from '../support/cases.ts';
import { traceTreeArbitrary } from '../support/traceTreeArbitrary.ts';

const { thinking, failed_calls } = convertConfigSchema.shape;
const settings = fc.record({
  thinking: fc.constantFrom(...thinking.def.innerType.options),
  failed_calls: fc.constantFrom(...failed_calls.def.innerType.options),
});

/** Any trace of a built-in profile, and its trajectory under any settings. */
const converted = fc
  .tuple(fc.constantFrom(...Object.values(builtinProfiles)), settings)
  .chain(([profile, config]) =>
    traceTreeArbitrary(profile, config).map((trace) => ({
      profile,
      config,
      trace,
      trajectory: convertTrace(trace, profile, 'sys', config),
    })),
  );

const wording: readonly string[] = Object.values(connectives);
const marks = (text: string) => text.match(/(?:say|mull|slip|see)\d+\./g) ?? [];
const bodyOf = ({ tag, text }: Segment) => text.slice(tag.length + 2, text.lastIndexOf(`</${tag}>`));

test('every word of a model segment is of its own event, or a connective', () => {
  fc.assert(
    fc.property(converted, ({ trace, trajectory, config }) => {
      const places = new Map(trace.events.map((event, at) => [event.id, at]));
      for (const segment of trajectory.segments) {
        const at = places.get(segment.event)!;
        const event = trace.events[at]!;
        if (segment.origin === 'environment') {
          const { observation, failure } = event as ToolCallEvent;
          const shown = (observation ?? failure!.message)
            .toWellFormed()
            .replace(/\r\n?/g, '\n')
            .normalize('NFC');
          expect(unescapeStructure(bodyOf(segment).slice(1, -1)).trimStart()).toBe(shown.trimStart());
        } else if (segment.tag === 'think') {
          const { answer, reasoning, role } = event as AgentCallEvent;
          const isConnective = wording.includes(bodyOf(segment));
          if (isConnective) expect(['orchestrator', 'tool_agent']).toContain(role);
          else {
            const own = (config.thinking === 'verbatim' && reasoning) || answer!.think;
            expect(bodyOf(segment)).toBe(modelText(String(own)));
          }
        } else expect(marks(segment.text).every((mark) => mark === `say${at}.`)).toBe(true);
      }
    }),
    { numRuns: propertyRuns },
  );
});

test('every tool call is written, or every one that did not fail; nothing that failed to be said is', () => {
  fc.assert(
    fc.property(converted, ({ trace, trajectory, config }) => {
      const calls = trace.events.filter((event) => event.type === 'tool_call');
      const written = calls.filter((call) => config.failed_calls === 'keep' || call.failure === null);
      const observed = trajectory.segments.filter(({ origin }) => origin === 'environment');
      expect(observed.map(({ event }) => event).sort()).toEqual(written.map(({ id }) => id).sort());
      const text = trajectory.segments.map((segment) => segment.text).join('');
      expect(text).not.toContain('gave up');
      expect(marks(text).filter((mark) => mark.startsWith('slip'))).toEqual([]);
      const failed = new Set(calls.filter((call) => call.failure).map((call) => call.id));
      const notFailed = trajectory.segments.filter(({ event }) => !failed.has(event));
      expect(trajectory.quality.interactions).toBe(observed.length);
      expect(notFailed.filter(({ origin }) => origin === 'environment')).toHaveLength(
        calls.length - failed.size,
      );
    }),
  );
});

test('no thought stands twice', () => {
  fc.assert(
    fc.property(converted, ({ trajectory }) => {
      const thoughts = trajectory.segments.filter(
        (segment) => segment.tag === 'think' && !wording.includes(bodyOf(segment)),
      );
      expect(new Set(thoughts.map(({ event }) => event)).size).toBe(thoughts.length);
    }),
  );
});

test('the text reads back as its segments and keeps the grammar; converting again gives the same', () => {
  fc.assert(
    fc.property(converted, ({ profile, trace, trajectory, config }) => {
      const { blocks, issues } = parseBlocks(profile, trajectory.segments.map(({ text }) => text).join(''));
      expect([...issues, ...checkGrammar(profile, blocks)]).toEqual([]);
      expect(layOutBlocks(blocks).map(({ tag, origin, text }) => ({ tag, origin, text }))).toEqual(
        trajectory.segments.map(({ tag, origin, text }) => ({ tag, origin, text })),
      );
      expect(convertTrace(trace, profile, 'sys', config)).toEqual(trajectory);
      expect(trajectorySchema.parse(trajectory)).toEqual(trajectory);
      expect(trajectory.id).toBe(trajectoryId(trajectory));
      expect(renderPrompt(profile, trajectory.question).user).toBe(trajectory.user);
    }),
    { numRuns: propertyRuns },
  );
});
