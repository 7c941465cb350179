/* The service, and where this App is found. */

import { createClient } from "@svc/sdk";

const { SVC_API_KEY, SVC_BASE_URL = "http://localhost:3000", SVC_WEB_URL, PORT = "8080", ORIGIN } = process.env;
if (!SVC_API_KEY) throw new Error("Set SVC_API_KEY to a key of your App; the first start of the service prints one.");

export const svc = createClient({ baseUrl: SVC_BASE_URL, apiKey: SVC_API_KEY });
export const port = Number(PORT);
export const origin = ORIGIN ?? `http://localhost:${port}`;

// The key knows its App, and the service is asked for it once, before anybody is served.
const { app } = await svc.key.get();

/** The address of one of the service's own pages. */
export function hostedPage(path, query = {}) {
	const page = new URL(path.replace(":app", app.id), SVC_WEB_URL ?? SVC_BASE_URL);
	page.search = String(new URLSearchParams(query));
	return page.href;
}

/** One on which the person decides something about this App, and from which they come back to `back`, a redirect URI of it. */
export function hostedCard(path, back, query = {}) {
	return hostedPage(path, { app: app.id, redirect_uri: origin + back, ...query });
}
