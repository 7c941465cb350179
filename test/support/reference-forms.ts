import type { OpenService } from "./service.ts";

/* The forms of /docs/api, as a browser finds and sends them. */

export interface TryForm {
	readonly operation: string;
	readonly method: string;
	readonly action: string;
	readonly isMultipart: boolean;
	/** Fields with what is filled in. */
	readonly fields: ReadonlyMap<string, string>;
}

export interface TryAnswer {
	/** Of the page itself. */
	readonly status: number;
	/** What the call was answered with. */
	readonly answered: number;
	readonly html: string;
	readonly headers: Headers;
}

export async function readForms(service: OpenService): Promise<ReadonlyMap<string, TryForm>> {
	const html = await (await service.api("/docs/api", { headers: {} })).text();
	const forms = [...html.matchAll(/<form class="try"([^>]*)>(.*?)<\/form>/gs)].map(([, head = "", inside = ""]) =>
		formOf(head, inside),
	);
	return new Map(forms.map((form) => [form.operation, form]));
}

function formOf(head: string, inside: string): TryForm {
	const attribute = (text: string, name: string) => decoded(new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1] ?? "");
	const inputs = [...inside.matchAll(/<input([^>]*)>/g)].map(([, text = ""]) => {
		const value = attribute(text, "type") === "checkbox" ? "" : attribute(text, "value");
		return [attribute(text, "name"), value] as const;
	});
	const texts = [...inside.matchAll(/<textarea([^>]*)>\n?(.*?)<\/textarea>/gs)].map(
		([, text = "", content = ""]) => [attribute(text, "name"), decoded(content)] as const,
	);
	return {
		operation: attribute(head, "data-operation"),
		method: attribute(head, "method"),
		action: attribute(head, "action"),
		isMultipart: attribute(head, "enctype") === "multipart/form-data",
		fields: new Map([...inputs, ...texts]),
	};
}

function decoded(text: string): string {
	return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

/** Sends a form as a page of ours does; a field that is not in it is a mistake of the test. */
export async function sendForm(
	service: OpenService,
	form: TryForm,
	changes: Readonly<Record<string, string | Blob>> = {},
	headers: Readonly<Record<string, string>> = { Origin: service.rooms.addresses.base },
): Promise<TryAnswer> {
	const unknown = Object.keys(changes).filter((name) => !form.fields.has(name));
	if (unknown.length > 0) throw new Error(`The form of ${form.operation} has no field ${unknown}.`);
	const values = Object.entries({ ...Object.fromEntries(form.fields), ...changes });
	const body = form.isMultipart ? new FormData() : new URLSearchParams();
	for (const [name, value] of values) {
		if (value instanceof Blob) (body as FormData).append(name, value, "photo.png");
		else if (name !== "reveal" || value !== "") body.append(name, value);
	}
	const answer = await service.api(form.action, { method: "POST", body, headers });
	const html = await answer.text();
	const answered = Number(/data-status="(\d+)"/.exec(html)?.[1] ?? 0);
	return { status: answer.status, answered, html, headers: answer.headers };
}
