import type { RecordAnswer } from '../api.ts';
import { Evidence } from './Evidence.tsx';
import { Rendered } from './Rendered.tsx';
import { words } from './words.ts';

/** What the judges found, with the gold answers beside the prediction. */
export function Verdicts({ record: { trajectory, task, trace } }: { readonly record: RecordAnswer }) {
  const verdicts = trajectory?.quality.verdicts ?? [];
  const predicted = trace?.final_answer ?? lastAnswer(trajectory);
  const gold = trajectory?.answers ?? task?.answers ?? [];
  return (
    <>
      {(predicted !== undefined || gold.length > 0) && (
        <div class="beside">
          <div>
            <h2>Gold</h2>
            <Rendered text={gold.join('\n') || 'judged by tests'} />
          </div>
          <div>
            <h2>Predicted</h2>
            <Rendered text={predicted ?? 'no answer'} />
          </div>
        </div>
      )}
      {verdicts.length === 0 && <p class="empty">No judge has spoken.</p>}
      {verdicts.map(({ subject, judge, judgement, score, evidence, marked_segments }, at) => (
        <article key={at} class={`verdict ${judgement}`}>
          <h2>
            {words(subject)}: {judgement}
          </h2>
          <p class="note">
            by {judge}, score {score}
            {marked_segments
              ? `; not to be imitated: segments ${marked_segments.map((segment) => segment + 1).join(', ')}`
              : ''}
          </p>
          <Evidence value={evidence} base="" />
        </article>
      ))}
    </>
  );
}

/** Of a row without a run: what its last answer says. */
function lastAnswer(trajectory: RecordAnswer['trajectory']): string | undefined {
  return trajectory?.segments.findLast(({ tag }) => tag === 'answer')?.text;
}
