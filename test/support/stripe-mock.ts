import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { freePorts } from "./ports.ts";

/*
 * Stripe's own description of its API, by which the program stripe-mock judges calls. The fake Stripe shows it every call that it gets,
 * so that whatever a test makes the product send is checked; without the program the fake's own strictness has to do.
 */

const path = [process.env.STRIPE_MOCK, Bun.which("stripe-mock") ?? undefined].find(
	(one) => typeof one === "string" && existsSync(one),
);

/** For the titles of tests that need stripe-mock: a run without it says so. */
export const stripeMockNote = path ? "" : " (SKIPPED: no stripe-mock on the PATH, and STRIPE_MOCK names none)";

export const withoutStripeMock = path === undefined;

export interface StripeCall {
	readonly method: string;
	readonly path: string;
	/** The body of a POST, else the query. */
	readonly text: string;
}

/**
 * What Stripe has renamed since the version that the newest stripe-mock (0.203.0) describes, 2026-08-26.dahlia: the new name, then the old.
 * When stripe-mock describes the product's own version, it refuses the old name, and the row goes.
 */
const RENAMED: readonly (readonly [string, string])[] = [
	// https://docs.stripe.com/changelog/endive/2026-09-30/remove-payment-method-types-checkout-sessions
	["allowed_payment_method_types", "payment_method_types"],
];

/** Starts with the first call, and ends with this process. */
let started: Promise<string> | undefined;

/** Why Stripe would not understand a call; undefined where it would, or where nobody can be asked. */
export async function misunderstood(call: StripeCall): Promise<string | undefined> {
	if (path === undefined) return undefined;
	started ??= start(path);
	const { method } = call;
	const text = RENAMED.reduce((renamed, [now, before]) => renamed.replaceAll(now, before), call.text);
	const isPost = method === "POST";
	const answer = await fetch(`${await started}${call.path}${isPost || text === "" ? "" : `?${text}`}`, {
		method,
		headers: { Authorization: "Bearer sk_test_123", "Content-Type": "application/x-www-form-urlencoded" },
		...(isPost && { body: text }),
	});
	const body = await answer.text();
	return answer.ok ? undefined : `${method} ${call.path} ${decodeURIComponent(text)}: ${answer.status} ${body}`;
}

const START_TRIES = 600;
const PAUSE_MS = 50;

async function start(program: string): Promise<string> {
	// It listens for https in any case: at a port of its own as well, or no second one could run beside it.
	const [address, unused] = (await freePorts(2)).map((port) => `127.0.0.1:${port}`) as [string, string];
	// The shell ends the program once this process, however it ends, has closed the pipe.
	const line = '"$0" -http-addr "$1" -https-addr "$2" >/dev/null 2>&1 & read -r _; kill $!';
	const child = spawn("sh", ["-c", line, program, address, unused], { stdio: ["pipe", "ignore", "ignore"] });
	child.unref();
	const base = `http://${address}`;
	for (let tries = 0; tries < START_TRIES; tries++) {
		const isUp = await fetch(base).then(
			() => true,
			() => false,
		);
		if (isUp) return base;
		await Bun.sleep(PAUSE_MS);
	}
	throw new Error(`${program} does not answer at ${address}`);
}
