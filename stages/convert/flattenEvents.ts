import { RecordFailure } from '../../contract/errors.ts';
import type { AgentCallEvent, TraceEvent } from '../../schemas/trace.ts';

/** An event in its place, and the agent that it goes back to. */
interface PlacedEvent {
  readonly event: TraceEvent;
  /** The nearest agent call among its parents: for a tool call the agent that asked. Null where there is none. */
  readonly asker: AgentCallEvent | null;
}

/**
 * A trace's tree as one line. What an agent caused comes after it: its tool calls, the whole work of each sub-agent,
 * and whatever agent came next. These are in the order of their last events, which is the order in which they were
 * there to be seen: tool calls as they were listed, sub-agents that worked at the same time one after the other as
 * they came to their ends. A trace in which nothing overlaps keeps its order.
 *
 * @throws RecordFailure (`inexpressible`) for an event whose parent does not come before it
 */
export function flattenEvents(events: readonly TraceEvent[]): PlacedEvent[] {
  const askers = placesOfAskers(events);
  const lasts = placesOfLastEvents(askers);
  const caused = Map.groupBy(askers.keys(), (at) => askers[at] ?? null);
  const latestFirst = (asker: number | null) =>
    (caused.get(asker) ?? []).sort((a, b) => lasts[b]! - lasts[a]!);
  const line: PlacedEvent[] = [];
  // A stack of its own: a long trace is a deep tree.
  const waiting = [...latestFirst(null)];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const asker = askers[at]!;
    line.push({ event: events[at]!, asker: asker === null ? null : (events[asker] as AgentCallEvent) });
    for (const next of latestFirst(at)) waiting.push(next);
  }
  return line;
}

function placesOfAskers(events: readonly TraceEvent[]): (number | null)[] {
  const places = new Map<string, number>();
  const askers: (number | null)[] = [];
  for (const [at, { id, parent }] of events.entries()) {
    const place = parent === null ? null : places.get(parent);
    if (place === undefined) throw inexpressible(id, `its parent ${parent} is not an event before it`);
    askers.push(place === null || events[place]!.type === 'agent_call' ? place : askers[place]!);
    places.set(id, at);
  }
  return askers;
}

/** By event, the place of the last event that it caused, itself included. */
function placesOfLastEvents(askers: readonly (number | null)[]): number[] {
  const lasts = [...askers.keys()];
  for (let at = askers.length - 1; at >= 0; at--) {
    const asker = askers[at]!;
    if (asker !== null) lasts[asker] = Math.max(lasts[asker]!, lasts[at]!);
  }
  return lasts;
}

/** The failure of a trace that no trajectory can say; names the event, null for a trace without any. */
export function inexpressible(event: string | null, why: string): RecordFailure {
  return new RecordFailure('inexpressible', `${why} (event ${event})`, { event, why });
}
