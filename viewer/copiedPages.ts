import { type Html, html } from '../output/report/html.ts';
import { reportPage } from '../output/report/reportPage.ts';
import { segmentBlocks } from '../output/report/trajectorySections.ts';
import type { RecordAnswer, RowAnswer, StoryStep, TokensAnswer, Trace } from './api.ts';

/** The list of a copy's records. */
export function copiedIndex(name: string, filter: string, rows: readonly RowAnswer[]): string {
  return reportPage(
    name,
    html`<header>
<p class="product">coa-distill</p>
<h1>${name}</h1>
<p class="note">A copy of ${rows.length} records${filter !== '' && html`, chosen by <code>${filter}</code>`}.</p>
</header>
<section><div class="scroll" tabindex="0" role="region" aria-label="Records"><table>
<thead><tr><th scope="col">Question</th><th scope="col">End</th><th scope="col">Profile</th><th scope="col" class="number">Tokens</th></tr></thead>
<tbody>
${rows.map(indexRow)}</tbody>
</table></div></section>`,
  );
}

function indexRow(row: RowAnswer, at: number): Html {
  return html`<tr><td><a href="records/${at + 1}.html"><bdi>${row.question || row.key}</bdi></a></td><td>${endOf(row)}</td><td>${row.profile}</td><td class="number">${row.figures.tokens}</td></tr>
`;
}

/** A record's page: what is trained, and everything that led there. Where its tokens are copied it leads to them, or says why not. */
export function copiedRecord(
  name: string,
  record: RecordAnswer,
  place: { readonly at: number; readonly all: number },
  tokens?: TokensAnswer | string,
): string {
  const { key, question, task, trajectory, trace, steps, problems } = record;
  const answers = trajectory?.answers ?? task?.answers ?? [];
  return reportPage(
    key,
    html`<header>
<p class="product"><a href="../index.html">${name}</a>${neighbours(place)}</p>
<h1><bdi>${task?.question ?? trajectory?.question ?? question}</bdi></h1>
<p class="note">${endOf(record)}${answers.length > 0 && html` · gold: <b>${answers.join(' | ')}</b>`}${trace?.final_answer !== undefined && html` · predicted: <b>${trace.final_answer}</b>`} · <code>${key}</code>${typeof tokens === 'object' && html` · <a href="${place.at + 1}-tokens.html">${tokens.ids.length} tokens</a>`}</p>
${[...problems, ...(typeof tokens === 'string' ? [tokens] : [])].map((problem) => html`<p class="bad">${problem}</p>`)}
</header>
${trained(record)}
${verdicts(record)}
${way(steps)}
${conversation(trace?.events ?? [])}`,
  );
}

/** A record's tokens: each with its id, and its label where that is another. */
export function copiedTokens(
  key: string,
  { tokenizer, ids, texts, weights, origins }: TokensAnswer,
  at: number,
): string {
  const trained = weights.filter((weight) => weight > 0).length;
  const token = (id: number, nth: number): Html => {
    const [text, weight] = [shownSpaces(texts[nth]!), weights[nth]!];
    if (weight === 0)
      return html`<li class="${originClasses[origins[nth]!]}"><bdi>${text}</bdi><small>${id} -100</small></li>`;
    return html`<li class="model trained"><bdi>${text}</bdi><small>${id}${weight !== 1 && ` ×${weight}`}</small></li>`;
  };
  return reportPage(
    `tokens of ${key}`,
    html`<header>
<p class="product"><a href="${at + 1}.html">${key}</a></p>
<h1>Tokens</h1>
<p class="note">${ids.length} tokens by ${tokenizer}, ${trained} of them trained (underlined). Below each its id, and its label where it is not the same: -100 is not trained.</p>
</header>
<section><ol class="tokens">${ids.map(token)}</ol></section>`,
  );
}

const originClasses: Readonly<Record<string, string>> = { p: 'prompt', m: 'model', e: 'environment' };

function shownSpaces(text: string): string {
  return text.replaceAll('\n', '⏎').replaceAll(' ', '·') || '∅';
}

function neighbours({ at, all }: { readonly at: number; readonly all: number }): Html {
  const link = (to: number, title: string) =>
    to >= 0 && to < all && html` · <a href="${to + 1}.html">${title}</a>`;
  return html`${link(at - 1, 'previous')}${link(at + 1, 'next')}`;
}

function endOf({ state, reason, stage }: RowAnswer): string {
  return reason === '' ? `${state} at ${stage}` : `${state} at ${stage}: ${reason.replaceAll('_', ' ')}`;
}

function trained({ trajectory, weights, sample }: RecordAnswer): Html | false {
  if (!trajectory) return false;
  const kept = trajectory.segments.length - (sample?.cut?.segments ?? 0);
  return html`<section><h2>Trajectory</h2>
${segmentBlocks({ trajectory, weights: (weights ?? []).slice(0, kept) }, Number.POSITIVE_INFINITY)}
</section>`;
}

function verdicts({ trajectory }: RecordAnswer): Html | false {
  const found = trajectory?.quality.verdicts ?? [];
  if (found.length === 0) return false;
  return html`<section><h2>Verdicts</h2>
${found.map(
  ({ subject, judgement, judge, evidence }) =>
    html`<h3>${subject}: ${judgement}, by ${judge}</h3>${json(evidence, 'Evidence')}`,
)}
</section>`;
}

/** What each stage did with it. */
function way(steps: readonly StoryStep[]): Html | false {
  if (steps.length === 0) return false;
  return html`<section><h2>Why</h2><ul>
${steps.map(
  (
    step,
  ) => html`<li><b>${step.stage}</b>: ${step.kind}${'entry' in step && json(step.entry, `What ${step.stage} says`)}</li>
`,
)}</ul></section>`;
}

function conversation(events: Trace['events']): Html | false {
  if (events.length === 0) return false;
  return html`<section><h2>Conversation</h2>
${events.map(
  (
    event,
  ) => html`<details><summary>${event.type === 'agent_call' ? event.role : event.tool} <small>${event.duration_ms} ms</small></summary>${json(event, event.id)}</details>
`,
)}</section>`;
}

function json(value: unknown, label: string): Html {
  return html`<pre tabindex="0" aria-label="${label}">${JSON.stringify(value, null, 1)}</pre>`;
}
