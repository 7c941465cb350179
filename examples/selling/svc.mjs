/* The service, and how people sign in to this App. */

import { randomBytes } from "node:crypto";
import { createClient } from "@svc/sdk";

const { SVC_API_KEY, SVC_BASE_URL = "http://localhost:3000", SESSION_SECRET, PORT = "8080", ORIGIN } = process.env;

if (!SVC_API_KEY) {
	console.error("Set SVC_API_KEY to an App-wide key of your App; the first start of the service prints one.");
	process.exit(1);
}

export const port = Number(PORT);
export const origin = ORIGIN ?? `http://localhost:${port}`;
export const svc = createClient({ baseUrl: SVC_BASE_URL, apiKey: SVC_API_KEY });

export const people = {
	client: svc,
	redirectUri: `${origin}/callback`,
	// Without one of its own, everybody signs in again after a restart.
	secret: SESSION_SECRET ?? randomBytes(32).toString("hex"),
	afterSignIn: "/photos",
};
