import { createClient } from "@svc/sdk";

/** For code of the server alone: the key must not reach a browser. */
export const svc = createClient({
	baseUrl: process.env.SVC_BASE_URL ?? "http://localhost:3000",
	apiKey: process.env.SVC_API_KEY ?? null,
});

/** What this App uploads has a label, so that its gallery lists nothing else. */
export const labels = { from: "next" };
