import { useState } from 'preact/hooks';
import type { AuditAnswer } from '../answers.ts';
import { InertText } from './InertText.tsx';
import { sourcePath, useAnswer } from './useAnswer.ts';
import { count, counted, words } from './words.ts';

/** Works the masks of a dataset's rows out again, when asked to. */
export function Audit({ name }: { readonly name: string }) {
  const [isAsked, setAsked] = useState(false);
  const { data, error } = useAnswer<AuditAnswer>(isAsked ? `${sourcePath(name)}/audit` : undefined);
  return (
    <section aria-live="polite">
      <h2>Audit</h2>
      {!isAsked && (
        <p>
          <button type="button" onClick={() => setAsked(true)}>
            Audit the first rows
          </button>{' '}
          <span class="note">
            All of them: <code>coa-distill audit {name}</code>
          </span>
        </p>
      )}
      {isAsked && !data && !error && <p class="empty">Working the masks out again …</p>}
      {error && <p class="error">{error}</p>}
      {data && <Findings audit={data} />}
    </section>
  );
}

function Findings({ audit: { totals, first } }: { readonly audit: AuditAnswer }) {
  return (
    <>
      <p class={totals.findings > 0 ? 'bad' : ''}>
        {totals.findings === 0 ? 'No difference found.' : counted(totals.findings, 'finding')}
      </p>
      <ul>
        {totals.parts.map(({ path, layout, rows, checked, trained_tokens, tokens }) => (
          <li key={path}>
            <InertText text={`${path} (${layout})`} />: {count(checked)} of {counted(rows, 'row')},{' '}
            {count(trained_tokens)} of {counted(tokens, 'token')} in the loss
          </li>
        ))}
      </ul>
      {first.length > 0 && (
        <ul class="failures">
          {first.map(({ kind, file, row, message }, at) => (
            <li key={at}>
              {words(kind)} <InertText text={row === null ? file : `${file} row ${row}`} />
              <div class="quoted">
                <InertText text={message} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
