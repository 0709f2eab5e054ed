import { useRef } from 'preact/hooks';
import { keyTable, useKeys } from './keys.ts';

/** The keys, on demand. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys({ '?': () => dialog.current?.showModal() });
  return (
    <>
      <button type="button" class="help-button" onClick={() => dialog.current?.showModal()}>
        Keys <kbd>?</kbd>
      </button>
      <dialog ref={dialog} aria-labelledby="help-title">
        <h2 id="help-title">Keys</h2>
        <dl class="keys">
          {keyTable.map(([key, meaning]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
