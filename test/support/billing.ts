import { as, type TestPerson } from "./people.ts";
import { send } from "./requests.ts";
import { made } from "./selling.ts";
import type { OpenService } from "./service.ts";

/* A browser at the simulated processor, and an operator who moves time and payments. */

export type Card = "pays" | "declines" | "needs_bank";

interface OpenForm {
	readonly html: string;
	readonly cookie: string;
	readonly token: string;
}

/** A page with a form, as a browser has it. */
export async function openForm(service: OpenService, url: string, cookie = ""): Promise<OpenForm> {
	const response = await service.open(url, { headers: { cookie } });
	const html = await response.text();
	if (response.status !== 200) throw new Error(`${response.status} ${html}`);
	const set = response.headers.getSetCookie().map((one) => one.split(";", 1)[0] ?? "");
	const token = /name="form_token" value="([0-9a-f]+)"/.exec(html)?.[1] ?? "";
	return { html, cookie: [cookie, ...set].filter(Boolean).join("; "), token };
}

export function post(service: OpenService, url: string, form: OpenForm, fields: Readonly<Record<string, string>>) {
	return service.open(url, {
		method: "POST",
		headers: {
			cookie: form.cookie,
			origin: new URL(url).origin,
			"content-type": "application/x-www-form-urlencoded",
		},
		body: new URLSearchParams({ form_token: form.token, ...fields }).toString(),
		redirect: "manual",
	});
}

/** Opens a checkout and pays; the answer is where the browser goes next, or the page again. */
export async function pay(service: OpenService, url: string, card: Card = "pays"): Promise<Response> {
	return await post(service, url, await openForm(service, url), { step: "pay", card });
}

/** Pays and comes back; where the last redirect leads, or the page that it ends at. */
export async function payAndReturn(service: OpenService, url: string): Promise<Response> {
	const paid = await pay(service, url);
	if (paid.status !== 303) throw new Error(`${paid.status} ${await paid.text()}`);
	return await service.open(paid.headers.get("location") ?? "", { redirect: "manual" });
}

export async function advanceTo(service: OpenService, operator: TestPerson, to: number): Promise<void> {
	await made(send(service, "POST", "/v1/operator/clock/advance", { to: new Date(to).toISOString() }, as(operator)));
}

export async function simulate(
	service: OpenService,
	operator: TestPerson,
	subscription: string,
	outcome: string,
): Promise<void> {
	await made(send(service, "POST", "/v1/operator/billing/simulate", { subscription, outcome }, as(operator)));
}
