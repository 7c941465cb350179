import type { AttemptError } from "@svc/base/enumerations";
import type { Event } from "@svc/events/event";
import type { Endpoint } from "./endpoint.ts";

/** Sends to addresses of strangers, by the rules of imports. */
export interface Poster {
	/** @throws Failure validation_error under `url` for what the address alone shows to be not allowed */
	check(url: string): void;
	/** One try. Never rejects. `body` goes out as it is. */
	post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Posted>;
}

interface Posted {
	/** Null without an answer. */
	readonly status: number | null;
	readonly error: AttemptError | null;
	readonly retryAfter: string | undefined;
	/** The beginning of the answer of a public receiver. */
	readonly response: string | null;
}

/** What the API says of events: the bodies that are sent. */
export interface Describe {
	event(event: Event, appId: string): unknown;
	test(
		endpoint: Endpoint,
		event: {
			readonly id: string;
			readonly appId: string;
			readonly requestId: string | null;
			readonly createdMs: number;
		},
	): unknown;
}
