import type { JsonObject } from '../../base/json.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { RecordAnswer } from '../api.ts';
import { Foldable, InertText, OnDemand, Raw } from './InertText.tsx';
import { Rendered } from './Rendered.tsx';
import { count, duration, usageText, words } from './words.ts';

type Event = Trace['events'][number];
type AgentCall = Extract<Event, { type: 'agent_call' }>;
type ToolCall = Extract<Event, { type: 'tool_call' }>;

interface ConversationProps {
  readonly record: RecordAnswer;
  readonly isUnfolded: boolean;
  readonly onSegment: (event: string) => void;
}

/** Every call of an agent's model and of a tool. */
export function Conversation({ record: { trace, trajectory }, isUnfolded, onSegment }: ConversationProps) {
  const events = trace?.events ?? [];
  if (events.length === 0) return <p class="empty">No requests.</p>;
  const used = new Set(trajectory?.segments.map(({ event }) => event));
  const seen = new Set<string>();
  return (
    <ol class="events">
      {events.map((event) => {
        const fresh = event.type === 'agent_call' ? event.messages.filter((key) => !seen.has(key)) : [];
        for (const key of fresh) seen.add(key);
        return (
          <li key={event.id} id={`event-${event.id}`} tabIndex={-1}>
            <Head event={event} hasSegment={used.has(event.id)} onSegment={onSegment} />
            {event.failure && (
              <p class="error">
                {words(event.failure.cause)}: <InertText text={event.failure.message} />
              </p>
            )}
            {event.type === 'agent_call' ? (
              <Agent event={event} fresh={fresh} messages={trace?.messages ?? {}} />
            ) : (
              <Tool event={event} isUnfolded={isUnfolded} />
            )}
            <OnDemand
              summary="raw call and answer"
              draw={() => (
                <Raw
                  label={`Raw call and answer of ${event.id}`}
                  text={JSON.stringify(rawOf(event, trace?.messages ?? {}), null, 1)}
                />
              )}
            />
          </li>
        );
      })}
    </ol>
  );
}

interface HeadProps {
  readonly event: Event;
  readonly hasSegment: boolean;
  readonly onSegment: (event: string) => void;
}

function Head({ event, hasSegment, onSegment }: HeadProps) {
  const isAgent = event.type === 'agent_call';
  const name = isAgent ? words(event.role) : event.tool;
  return (
    <div class="tag">
      <b>{name}</b>
      <small>
        {isAgent && event.action ? `${event.action} · ` : ''}
        {duration(event.duration_ms)}
        {isAgent ? ` · ${usageText(event)} tokens` : ''}
        {!isAgent && event.cached ? ' · from the cache' : ''}
      </small>
      {hasSegment && (
        <button
          type="button"
          class="link"
          onClick={() => onSegment(event.id)}
          aria-label={`Segment of ${name}`}
        >
          segment
        </button>
      )}
    </div>
  );
}

interface AgentProps {
  readonly event: AgentCall;
  /** Messages that no earlier call sent. */
  readonly fresh: readonly string[];
  readonly messages: Trace['messages'];
}

function Agent({ event, fresh, messages }: AgentProps) {
  return (
    <>
      {event.messages.length > 0 && (
        <OnDemand
          summary={`${count(event.messages.length)} messages sent, ${count(fresh.length)} of them new`}
          draw={() =>
            event.messages.map((key, at) => <Message key={`${key} ${at}`} message={messages[key]} at={at} />)
          }
        />
      )}
      {event.malformed.map(({ content, error }, at) => (
        <OnDemand
          key={at}
          class="bad"
          summary="asked again: the answer was malformed"
          draw={() => (
            <>
              <p>
                <InertText text={error} />
              </p>
              <pre>
                <InertText text={content} />
              </pre>
            </>
          )}
        />
      ))}
      {event.reasoning && (
        <OnDemand summary="reasoning" draw={() => <Rendered text={event.reasoning ?? ''} />} />
      )}
      {event.content && <Rendered text={event.content} />}
      {event.tool_calls.map(({ function: called }, at) => (
        <pre key={at}>
          <b>
            <InertText text={called.name} />
          </b>{' '}
          <InertText text={called.arguments} />
        </pre>
      ))}
    </>
  );
}

interface MessageProps {
  readonly message: Trace['messages'][string] | undefined;
  readonly at: number;
}

function Message({ message, at }: MessageProps) {
  const text = contentOf(message);
  return (
    <div class="message">
      <b>{message?.role ?? 'lost'}</b>
      <Foldable isFolded={text.length > 600} isUnfolded={false} label={`message ${at + 1}`} isPlain={false}>
        <Rendered text={text} />
      </Foldable>
    </div>
  );
}

/** The text of a message; other parts as JSON. */
function contentOf(message: Trace['messages'][string] | undefined): string {
  if (!message) return '';
  const { role: _, content, ...others } = message as JsonObject;
  const rest = Object.values(others).some((value) => value !== null)
    ? `\n${JSON.stringify(others, null, 1)}`
    : '';
  return `${typeof content === 'string' ? content : content == null ? '' : JSON.stringify(content, null, 1)}${rest}`;
}

function Tool({ event, isUnfolded }: { readonly event: ToolCall; readonly isUnfolded: boolean }) {
  const observation = event.observation ?? '';
  return (
    <>
      <pre>
        <InertText text={JSON.stringify(event.input, null, 1)} />
      </pre>
      <Foldable
        isFolded={observation.length > 600}
        isUnfolded={isUnfolded}
        label={`observation of ${event.tool}`}
        isPlain={false}
      >
        <Rendered text={observation} />
      </Foldable>
    </>
  );
}

/** Request and response with everything stored in the trace. */
function rawOf(event: Event, messages: Trace['messages']): object {
  if (event.type === 'tool_call') return event;
  return { ...event, messages: event.messages.map((key) => messages[key] ?? key) };
}
