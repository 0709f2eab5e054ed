import { useState } from 'preact/hooks';

interface NumberInputProps {
  readonly label: string;
  readonly min: number;
  readonly step?: number;
  readonly placeholder?: string;
  readonly value: string;
  /** Told what was typed at Enter, or when the field is left. */
  readonly onValue: (value: string) => void;
}

/** A number to type. What is typed stays while the page is drawn again around it. */
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
        // The keys are the page's again.
        if (key === 'Enter') currentTarget.blur();
      }}
    />
  );
}
