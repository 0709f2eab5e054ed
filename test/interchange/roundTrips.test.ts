import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exportFormats } from '../../output/interchange/exportRun.ts';
import { exportTrace, exportTrajectory } from '../../output/interchange/renderExport.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { qwenSystemPrompt } from '../../schemas/config/dataset.ts';
import { adpTrajectorySchema } from '../../schemas/interchange/adp.ts';
import { atifTrajectorySchema } from '../../schemas/interchange/atif.ts';
import { openaiConversationSchema } from '../../schemas/interchange/openaiChat.ts';
import { type Trace, traceSchema } from '../../schemas/trace.ts';
import { convertTrace } from '../../stages/convert/createConvertStage.ts';
import { importValue, outputOf } from './importing.ts';
import { traceArbitrary } from './traceOfTrajectory.ts';

/** As a file holds it. */
function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

const schemas = { atif: atifTrajectorySchema, adp: adpTrajectorySchema, openai: openaiConversationSchema };

test.each(exportFormats)('what is exported to %s and imported again converts to the same words', (format) => {
  fc.assert(
    fc.property(traceArbitrary, (trace) => {
      const profile = builtinProfile(trace.profile)!;
      const converted = (each: Trace) => convertTrace(each, profile, qwenSystemPrompt);
      const exported = throughJson(exportTrace(trace, profile, format, '1.0.0'));
      expect(schemas[format].safeParse(exported).error).toBeUndefined();
      const again = importValue(format, exported);
      expect(again.task).toEqual(trace.task);
      expect(traceSchema.parse(again)).toEqual(again);
      const trajectory = converted(trace);
      expect(outputOf(converted(again))).toBe(outputOf(trajectory));

      const own = throughJson(exportTrajectory(trajectory, profile, format, '1.0.0'));
      const { user, answers, domain } = trajectory;
      const back = converted(importValue(format, own));
      expect(outputOf(back)).toBe(outputOf(trajectory));
      expect(back).toMatchObject({ user, answers, domain });
    }),
    { numRuns: 300 },
  );
});
