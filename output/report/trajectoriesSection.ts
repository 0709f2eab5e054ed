import type { Segment, Trajectory } from '../../schemas/trajectory.ts';
import { count } from './figures.ts';
import { type Html, html } from './html.ts';

/** Characters shown of one text: a page that was read whole would bury the rest. */
const mostCharacters = 20_000;

/** A few kept trajectories, what is trained told apart from what is not. */
export function trajectoriesSection(samples: readonly Trajectory[]): Html {
  if (samples.length === 0) {
    return html`<section><h2>Trajectories</h2><p class="empty">No trajectory was kept.</p></section>`;
  }
  return html`<section>
<h2>Trajectories</h2>
<p class="legend"><span><i class="swatch model"></i>written by the model: trained</span><span><i class="swatch environment"></i>came from the environment: never trained</span><span><i class="swatch prompt"></i>prompt: never trained</span></p>
${samples.map((sample, at) => trajectory(sample, at === 0))}
</section>`;
}

function trajectory(
  { id, profile, system, user, question, answers, segments }: Trajectory,
  open: boolean,
): Html {
  return html`<details class="trajectory"${open && html` open`}><summary><span class="chip">${profile}</span> <span class="question">${question}</span></summary>
<p class="note">${answers.length > 0 && html`Gold answer: <b>${answers.join(' | ')}</b> · `}<code>${id}</code></p>
<div class="segments">
${block('prompt', 'system', system)}${block('prompt', 'user', user)}${segments.map((segment) => segmentBlock(segment))}</div>
</details>
`;
}

function segmentBlock({ origin, tag, text }: Segment): Html {
  return block(origin, tag, text);
}

function block(origin: 'prompt' | Segment['origin'], name: string, text: string): Html {
  const shown = text.slice(0, mostCharacters);
  const rest = text.length - shown.length;
  const trained = origin === 'model' ? 'trained' : 'not trained';
  return html`<div class="segment ${origin}"><span class="tag">${name}<small>${trained}</small></span><pre tabindex="0" aria-label="${name}, ${trained}">${shown}${rest > 0 && html`<em>… ${count(rest)} more characters</em>`}</pre></div>
`;
}
