import type { JsonObject } from '../../base/json.ts';
import type { RecordAnswer } from '../api.ts';
import { Evidence, isObject, Rendered } from './Rendered.tsx';
import { counted, words } from './words.ts';

/** Verdicts, with reference answers beside the prediction. */
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
      {verdicts.length === 0 && <p class="empty">Not judged yet.</p>}
      {verdicts.map(({ subject, judge, judgement, score, evidence, marked_segments }, at) => (
        <article key={at} class={`verdict ${judgement}`}>
          <h2>
            {words(subject)}: {judgement}
          </h2>
          <p class="note">
            by {judge}, score {score}
            {votesText(evidence)}
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

/** `; 3 votes: correct 2, incorrect 1` */
function votesText({ votes }: JsonObject): string {
  if (!Array.isArray(votes)) return '';
  const said = Object.groupBy(votes.filter(isObject), ({ judgement }) => String(judgement ?? 'failed'));
  const counts = Object.entries(said).map(([judgement, of]) => `${judgement} ${of?.length}`);
  return `; ${counted(votes.length, 'vote')}: ${counts.join(', ')}`;
}

/** The last answer of a row without a run. */
function lastAnswer(trajectory: RecordAnswer['trajectory']): string | undefined {
  return trajectory?.segments.findLast(({ tag }) => tag === 'answer')?.text;
}
