import type { RecordAnswer, RowAnswer } from '../api.ts';
import { Facts } from './Facts.tsx';
import { InertText } from './InertText.tsx';
import { siblingName } from './RolloutDiff.tsx';
import { count, counted, dollars, duration, percentOf, words } from './words.ts';

/** Characters of an answer that stand above a record. */
const MAX_ANSWER = 160;

/** What a record is, how it ended, and what it took. */
export function Summary({ record, base }: { readonly record: RecordAnswer; readonly base: string }) {
  const { question, state, stage, reason, task, trajectory, trace, marks, siblings, problems } = record;
  const answers = trajectory?.answers ?? task?.answers ?? [];
  return (
    <div class="summary">
      <p class="question">
        <InertText text={task?.question ?? trajectory?.question ?? question} />
      </p>
      <Facts
        facts={[
          [
            'End',
            <>
              <span class={`dot ${state}`} aria-hidden="true" />
              {state}
              {reason ? `: ${words(reason)}` : ''} at {stage}
            </>,
          ],
          ['Gold', answers.length > 0 && inShort(answers.join(' | '))],
          ['Predicted', trace?.final_answer !== undefined && inShort(trace.final_answer)],
          ['Tokens', tokensOf(record)],
          ['Cost', trace?.totals?.cost_usd ? dollars(trace.totals.cost_usd) : undefined],
          [
            'Time',
            trace?.totals &&
              `${duration(trace.totals.duration_ms)}, ${counted(trace.totals.model_calls, 'model call')}`,
          ],
          ['Marks', marks.length > 0 && marks.join(', ')],
          ['Same task', siblings.length > 0 && siblings.map((sibling) => siblingLink(sibling, base))],
        ]}
      />
      {problems.map((problem) => (
        <p class="error" role="alert" key={problem}>
          <InertText text={problem} />
        </p>
      ))}
    </div>
  );
}

function tokensOf({ figures: { tokens, trained_tokens = 0 } }: RowAnswer): string | undefined {
  return tokens === undefined ? undefined : `${count(tokens)}, ${percentOf(trained_tokens, tokens)} trained`;
}

function siblingLink(sibling: RowAnswer, base: string) {
  return (
    <a key={sibling.key} href={`${base}/records/${encodeURIComponent(sibling.key)}`}>
      {siblingName(sibling)}
    </a>
  );
}

/** An answer may be a program: the first of it, all of which stands with the verdicts. */
function inShort(answer: string): string {
  const [line = ''] = answer.trimStart().split('\n', 1);
  const first = line.slice(0, MAX_ANSWER);
  return first.length < answer.trim().length ? `${first} …` : answer;
}
