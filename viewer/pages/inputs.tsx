import { useState } from 'preact/hooks';

interface NumberInputProps {
  readonly label: string;
  readonly min: number;
  readonly step?: number;
  readonly placeholder?: string;
  readonly value: string;
  /** Called at Enter and on blur. */
  readonly onValue: (value: string) => void;
}

/** Number field that keeps its text while the page is redrawn. */
export function NumberInput({ label, value, onValue, ...attributes }: NumberInputProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <input
      {...attributes}
      type="number"
      aria-label={label}
      value={typed ?? value}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={({ currentTarget }) => onValue(currentTarget.value)}
      onBlur={() => setTyped(undefined)}
      onKeyDown={({ key, currentTarget }) => {
        // Returns the keyboard to the page.
        if (key === 'Enter') currentTarget.blur();
      }}
    />
  );
}

interface ChooseOthersProps {
  /** Such as "Compare with". */
  readonly label: string;
  /** Such as "another evaluation". */
  readonly what: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChoose: (names: readonly string[]) => void;
}

/** Adds and removes things to compare; renders nothing without options. */
export function ChooseOthers({ label, what, names, chosen, onChoose }: ChooseOthersProps) {
  const left = names.filter((name) => !chosen.includes(name));
  if (left.length + chosen.length === 0) return null;
  return (
    <p class="toolbar">
      <label>
        {label}{' '}
        <select value="" onChange={({ currentTarget }) => onChoose([...chosen, currentTarget.value])}>
          <option value="">{what}</option>
          {left.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {chosen.map((name) => (
        <button key={name} type="button" onClick={() => onChoose(chosen.filter((other) => other !== name))}>
          Take away {name}
        </button>
      ))}
    </p>
  );
}
