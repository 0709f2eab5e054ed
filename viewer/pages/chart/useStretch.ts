import type { TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useState } from 'preact/hooks';
import { canvas, plot } from './shapes.tsx';

type Pointer = TargetedPointerEvent<SVGSVGElement>;

/**
 * Which place of a chart is pointed at, and from where on a stretch is drawn or chosen by keys.
 *
 * @param places how many there are
 * @param ratioOf where each stands, between 0 and 1
 * @param onStretch told the ends of a stretch, the first place first; undefined where all are wanted again
 */
export function useStretch(
  places: number,
  ratioOf: (at: number) => number,
  onStretch: (ends: readonly [number, number] | undefined) => void,
) {
  const [pointed, setPointed] = useState<number>();
  const [anchor, setAnchor] = useState<number>();
  const at = pointed === undefined ? undefined : Math.min(pointed, places - 1);
  const leave = () => {
    setPointed(undefined);
    setAnchor(undefined);
  };
  const finish = () => {
    if (anchor !== undefined && at !== undefined && at !== anchor) {
      onStretch([Math.min(at, anchor), Math.max(at, anchor)]);
      leave();
    } else setAnchor(undefined);
  };
  const placeAt = ({ currentTarget, clientX }: Pointer) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return nearest(places, ratioOf, (((clientX - left) / width) * canvas.width - canvas.left) / plot.width);
  };
  const move = (by: number, isStretch: boolean) => {
    setAnchor(isStretch ? (anchor ?? at ?? places - 1) : undefined);
    setPointed(Math.min(places - 1, Math.max(0, (at ?? places) + by)));
  };
  const keys: Readonly<Record<string, (isStretch: boolean) => void>> = {
    ArrowLeft: (isStretch) => move(-1, isStretch),
    ArrowRight: (isStretch) => move(1, isStretch),
    Enter: finish,
    Escape: () => (anchor === undefined ? onStretch(undefined) : setAnchor(undefined)),
  };
  const handlers = {
    onPointerDown: (event: Pointer) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      setAnchor(placeAt(event));
    },
    onPointerMove: (event: Pointer) => setPointed(placeAt(event)),
    onPointerUp: finish,
    onPointerCancel: leave,
    onPointerLeave: leave,
    onBlur: leave,
    onKeyDown: (event: TargetedKeyboardEvent<SVGSVGElement>) => {
      const act = keys[event.key];
      if (!act) return;
      event.preventDefault();
      act(event.shiftKey);
    },
  };
  return { at, anchor, handlers };
}

function nearest(places: number, ratioOf: (at: number) => number, ratio: number): number {
  let best = 0;
  for (let at = 1; at < places; at++)
    if (Math.abs(ratioOf(at) - ratio) < Math.abs(ratioOf(best) - ratio)) best = at;
  return best;
}
