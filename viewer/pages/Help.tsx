import { useRef, useState } from 'preact/hooks';
import { activeKeys, keyTable, useKeys } from './keys.ts';
import { Theme } from './Theme.tsx';

/** What stands in the corner of every page: its theme, and its keys on demand. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [active, setActive] = useState(activeKeys);
  const show = () => {
    setActive(activeKeys());
    dialog.current?.showModal();
  };
  useKeys({ '?': show });
  return (
    <>
      <div class="corner">
        <Theme />
        <button type="button" onClick={show}>
          Keys <kbd>?</kbd>
        </button>
      </div>
      <dialog ref={dialog} aria-labelledby="help-title">
        <h2 id="help-title">Keys</h2>
        <dl class="keys">
          {keyTable
            .filter(({ keys }) => keys.some((key) => active.has(key)))
            .map(({ keys, meaning }) => (
              <div key={meaning}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
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
