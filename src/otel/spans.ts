import { type Context, context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { Client } from '../client/client.ts';
import type { CallStoryEvent } from '../events.ts';
import { fullUrl, outcomeFacts, reasonFacts, requestFacts } from './attributes.ts';

/** The spans of a call in progress. */
interface Spans {
  readonly call: Span;
  /** The context of the call's span, the parent of its requests. */
  readonly within: Context;
  /** The span of the present request, until its body is read. */
  request: Span | undefined;
  /** Whether its outcome is recorded. */
  isTold: boolean;
  /** Number of requests so far. */
  sent: number;
}

/**
 * Creates a span for each call, below the span active where it is made, and one for each request below that, by the conventions for
 * HTTP clients.
 *
 * @returns a function that ends it: later calls have no span, calls in progress keep theirs.
 */
export function traceCalls(client: Pick<Client, 'subscribe'>, tracer: Tracer, withRequests: boolean): () => void {
  const open = new Map<number, Spans>();
  let isEnding = false;
  const end = client.subscribe((event) => {
    if (!('call' in event)) return;
    if (event.type === 'called') {
      if (!isEnding) open.set(event.call, begin(tracer, event));
      return;
    }
    const spans = open.get(event.call);
    // Calls made before `instrument` have no span.
    if (!spans) return;
    if (withRequests) traceRequest(tracer, spans, event);
    traceCall(spans.call, event);
    if (event.type !== 'done' && event.type !== 'failed') return;
    open.delete(event.call);
    if (isEnding && open.size === 0) end();
  });
  return () => {
    isEnding = true;
    if (open.size === 0) end();
  };
}

function begin(tracer: Tracer, { call, endpoint, label, at, priority }: CallStoryEvent & { type: 'called' }): Spans {
  const active = context.active();
  const attributes = {
    'stacks_quota.call': call,
    'stacks_quota.endpoint': endpoint,
    'stacks_quota.priority': priority,
    ...(label !== undefined && { 'stacks_quota.label': label }),
  };
  const span = tracer.startSpan(`call ${endpoint}`, { kind: SpanKind.INTERNAL, startTime: at, attributes }, active);
  return { call: span, within: trace.setSpan(active, span), request: undefined, isTold: false, sent: 0 };
}

function traceRequest(tracer: Tracer, spans: Spans, event: CallStoryEvent): void {
  const { at, endpoint } = event;
  switch (event.type) {
    case 'sent': {
      const attributes = {
        ...requestFacts(event),
        'url.full': fullUrl(event.url),
        'stacks_quota.units': event.units,
        ...(spans.sent > 0 && { 'http.request.resend_count': spans.sent }),
      };
      spans.sent++;
      spans.isTold = false;
      spans.request = tracer.startSpan(endpoint, { kind: SpanKind.CLIENT, startTime: at, attributes }, spans.within);
      return;
    }
    case 'answered':
    case 'lost': {
      const facts = outcomeFacts(event);
      spans.isTold = true;
      spans.request?.setAttributes(facts);
      if ('error.type' in facts) spans.request?.setStatus({ code: SpanStatusCode.ERROR });
      const { cost = undefined } = event.type === 'answered' ? event.quota.stacks : {};
      if (cost !== undefined) spans.request?.setAttribute('stacks_quota.cost', cost);
      return;
    }
    case 'retrying':
    case 'done':
    case 'failed':
      if (event.type === 'failed' && !spans.isTold) {
        spans.request?.setAttribute('error.type', event.error).setStatus({ code: SpanStatusCode.ERROR });
      }
      // `done` is emitted after the body was read, unless it is streamed.
      spans.request?.end(at);
      spans.request = undefined;
  }
}

function traceCall(span: Span, event: CallStoryEvent): void {
  const { at } = event;
  switch (event.type) {
    case 'waiting': {
      const { reason, until, parked } = event;
      const facts = { 'stacks_quota.why': reason.why, 'stacks_quota.until': until.toISOString() };
      span.addEvent('waiting', { ...reasonFacts(reason), ...facts, 'stacks_quota.parked': parked }, at);
      return;
    }
    case 'limited':
      span.addEvent('limited', { 'http.response.status_code': event.status }, at);
      return;
    case 'retrying': {
      const facts = { 'stacks_quota.attempt': event.attempt, 'stacks_quota.pause': event.afterMs / 1_000 };
      span.addEvent('retrying', facts, at);
      return;
    }
    case 'done':
    case 'failed': {
      const error = errorOf(event);
      if (event.type === 'done') span.setAttribute('http.response.status_code', event.status);
      if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
      span.end(at);
    }
  }
}

/** The type of error by which a call ended, or that its answer is; undefined for a success. */
function errorOf(event: CallStoryEvent & { readonly type: 'done' | 'failed' }): string | undefined {
  if (event.type === 'failed') return event.error;
  return event.status >= 400 ? String(event.status) : undefined;
}
