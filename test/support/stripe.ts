import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { STRIPE_API_VERSION } from "@svc/billing/stripe/api";
import { Stripe } from "stripe";
import { StripeRefusal } from "./stripe-form.ts";
import { catchUp, completeCheckout } from "./stripe-life.ts";
import { misunderstood, type StripeCall } from "./stripe-mock.ts";
import type { FakeEvent, FakeSubscription } from "./stripe-objects.ts";
import { answerCall } from "./stripe-routes.ts";
import { type CardBehaviour, held, StripeState } from "./stripe-state.ts";

/* A strict Stripe on loopback: it knows keys, versions, parameters and idempotency, keeps subscriptions going, and fails on demand. */

const SECRET_KEY = "sk_test_0123456789";
const WEBHOOK_SECRET = "whsec_0123456789";

/** What becomes of one request instead of its answer. */
type StripeFault =
	| { readonly kind: "refuse"; readonly status: number; readonly error?: Readonly<Record<string, unknown>> }
	/** Done, but nobody is told. */
	| { readonly kind: "lose-answer" }
	/** The connection stays open and nothing comes. */
	| { readonly kind: "silence" }
	/** It is not looked at before that. */
	| { readonly kind: "wait"; readonly until: Promise<unknown> };

interface Delivery {
	readonly raw: string;
	readonly signature: string;
}

interface Kept {
	readonly request: string;
	readonly answer: Answer;
}

interface Answer {
	readonly status: number;
	readonly body: unknown;
}

export interface FakeStripe {
	readonly state: StripeState;
	/** What an adapter needs to be told. */
	readonly address: { readonly secretKey: string; readonly webhookSecret: string; readonly apiBase: string };
	/** The same as a deployment says it. */
	readonly env: Readonly<Record<string, string>>;
	/** Method, path and parameters of each call that was understood, whether or not it was refused then. */
	readonly seen: {
		readonly method: string;
		readonly path: string;
		readonly form: URLSearchParams;
		readonly key: string;
	}[];
	useClock(clock: { now(): number }): void;
	/** The next `times` calls whose method and path fit meet the fault. */
	fail(fault: StripeFault, times?: number, matching?: RegExp): void;
	heal(): void;
	/** A payer fills in the page of a checkout; false when the card is not taken. */
	complete(session: string, card?: CardBehaviour): boolean;
	/** What the card of a subscription does from now on. */
	setCard(subscription: string, card: CardBehaviour): void;
	/** A payer leaves another card at the portal. */
	leaveCard(subscription: string, card: CardBehaviour): void;
	/** What has come due by now happens. */
	advance(): void;
	/** What was to be delivered since the last call. */
	takeEvents(): readonly FakeEvent[];
	sign(event: FakeEvent, secondsAgo?: number): Promise<Delivery>;
	/** @throws Error where stripe-mock is there, and a call was not what Stripe's own description of its API allows */
	close(): Promise<void>;
}

export async function fakeStripe(): Promise<FakeStripe> {
	let clock: { now(): number } = Date;
	const state = new StripeState({ now: () => clock.now() }, STRIPE_API_VERSION);
	const seen: FakeStripe["seen"] = [];
	const faults: { fault: StripeFault; times: number; matching: RegExp }[] = [];
	const kept = new Map<string, Kept>();
	const unclear: string[] = [];

	function takeFault(call: string): StripeFault | undefined {
		const found = faults.find((one) => one.times > 0 && one.matching.test(call));
		if (found) found.times--;
		return found?.fault;
	}

	async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const call = await readCall(request);
		const fault = takeFault(`${call.method} ${call.path}`);
		if (fault?.kind === "silence") return;
		if (fault?.kind === "wait") await fault.until;
		if (fault?.kind === "refuse") {
			const error = { type: "api_error", message: `No. Key ${SECRET_KEY}, card 4242 4242 4242 4242.`, ...fault.error };
			send(response, { status: fault.status, body: { error } });
			return;
		}
		const problem = await misunderstood(call);
		if (problem !== undefined) unclear.push(problem);
		const answer = outcome(request, call);
		if (fault?.kind === "lose-answer") request.socket.destroy();
		else send(response, answer.answer, answer.replayed);
	}

	function outcome(
		{ headers }: IncomingMessage,
		{ method, path, text }: StripeCall,
	): { readonly answer: Answer; readonly replayed: boolean } {
		try {
			demand(headers, method);
			const key = method === "POST" ? String(headers["idempotency-key"]) : "";
			const form = new URLSearchParams(text);
			seen.push({ method, path, form, key });
			const known = kept.get(key);
			if (known) return { answer: replay(known, `${path} ${text}`), replayed: true };
			const answer = answered({ method, path, form });
			// Refusals are kept like any other answer: the same key gives them again, whatever has changed since.
			if (key !== "") kept.set(key, { request: `${path} ${text}`, answer });
			return { answer, replayed: false };
		} catch (cause) {
			if (!(cause instanceof StripeRefusal)) throw cause;
			return { answer: { status: cause.status, body: cause.body }, replayed: false };
		}
	}

	function answered(call: Parameters<typeof answerCall>[1]): Answer {
		try {
			return { status: 200, body: structuredClone(answerCall(state, call)) };
		} catch (cause) {
			if (!(cause instanceof StripeRefusal)) throw cause;
			return { status: cause.status, body: cause.body };
		}
	}

	const server = createServer((request, response) => {
		take(request, response).catch(() => request.socket.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const find = (id: string): FakeSubscription => held(state.subscriptions.get(id), id);
	return {
		state,
		address: { secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET, apiBase },
		env: {
			SVC_STRIPE_SECRET_KEY: SECRET_KEY,
			SVC_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
			SVC_TUNING: `stripe_api_base=${apiBase}`,
		},
		seen,
		useClock(other) {
			clock = other;
		},
		fail(fault, times = 1, matching = /./) {
			faults.push({ fault, times, matching });
		},
		heal() {
			faults.length = 0;
		},
		complete: (session, card = "pays") => completeCheckout(state, held(state.sessions.get(session), session), card),
		setCard(subscription, card) {
			state.cards.set(held(state.cardOf(find(subscription)) ?? undefined, "a card"), card);
		},
		leaveCard(subscription, card) {
			const customer = held(state.customers.get(find(subscription).customer), "a customer");
			const previous = { invoice_settings: customer.invoice_settings };
			customer.invoice_settings = { default_payment_method: state.addCard(card) };
			state.emit("customer.updated", customer, previous);
		},
		advance: () => catchUp(state),
		takeEvents: () => state.events.splice(0),
		async sign(event, secondsAgo = 0) {
			const payload = JSON.stringify(event, undefined, 2);
			const timestamp = state.now() - secondsAgo;
			const options = { payload, secret: WEBHOOK_SECRET, timestamp };
			return { raw: payload, signature: await Stripe.webhooks.generateTestHeaderStringAsync(options) };
		},
		async close() {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
			if (unclear.length > 0) throw new Error(`Stripe would not understand:\n${unclear.join("\n")}`);
		},
	};
}

async function readCall(request: IncomingMessage): Promise<StripeCall> {
	const { method = "", url = "" } = request;
	const { pathname, search } = new URL(url, "http://stripe");
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return { method, path: pathname, text: method === "POST" ? Buffer.concat(chunks).toString() : search.slice(1) };
}

/** @throws StripeRefusal for a caller that Stripe would not listen to */
function demand(headers: IncomingMessage["headers"], method: string): void {
	if (headers.authorization !== `Bearer ${SECRET_KEY}`) {
		throw new StripeRefusal(401, { message: "Invalid API Key provided." });
	}
	if (headers["stripe-version"] !== STRIPE_API_VERSION) {
		throw new StripeRefusal(400, { message: `Invalid Stripe API version: ${headers["stripe-version"]}` });
	}
	const form = String(headers["content-type"]).startsWith("application/x-www-form-urlencoded");
	if (method === "POST" && !form) throw new StripeRefusal(400, { message: "Only forms are understood." });
	if (method === "POST" && !headers["idempotency-key"]) throw new StripeRefusal(400, { message: "A key is missing." });
}

function replay({ request, answer }: Kept, now: string): Answer {
	if (request === now) return answer;
	throw new StripeRefusal(400, {
		type: "idempotency_error",
		message: "Keys for idempotent requests can only be used with the same parameters they were first used with.",
	});
}

function send(response: ServerResponse, { status, body }: Answer, replayed = false): void {
	response.writeHead(status, {
		"content-type": "application/json",
		"request-id": "req_fake",
		...(replayed && { "idempotent-replayed": "true" }),
	});
	response.end(JSON.stringify(body));
}
