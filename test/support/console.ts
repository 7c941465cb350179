import { Browser, type Shown } from "./browser.ts";
import { addSession, type TestPerson } from "./people.ts";
import type { OpenService } from "./service.ts";

/** A browser in which a person is signed in. @param web the address at which the service listens */
export async function signedIn(
	service: OpenService,
	person: Pick<TestPerson, "id">,
	options: { readonly freshForMs?: number; readonly web?: string; readonly language?: string } = {},
): Promise<Browser> {
	const { web, language, ...session } = options;
	const browser = new Browser(service, web, language);
	const value = await addSession(service.database, person.id, { ...session, kind: "web" });
	browser.cookies.set("session", { value, attributes: "SameSite=Lax" });
	return browser;
}

/** What a form sends that does the deed `act`. */
export function formOf(page: Shown, act: string) {
	const form = page.forms.find(({ fields }) => fields.act === act);
	if (!form) throw new Error(`no form does ${act} on ${page.status} “${page.title}”: ${page.alerts.join()}`);
	return form;
}

/** Sends the form of a page that does a deed, as it is but for what is typed into it; where `typed` has a `key`, that key's. */
export async function sendForm(
	browser: Browser,
	page: Shown,
	act: string,
	typed: Readonly<Record<string, string>> = {},
): Promise<Shown> {
	const { action, fields } =
		page.forms.find((form) => form.fields.act === act && form.fields.key === typed.key) ?? formOf(page, act);
	return await browser.post(new URL(action, page.url).href, { ...fields, ...typed });
}

/** Posts a file to an address, as the form there sends it. */
export async function postFile(
	service: OpenService,
	browser: Browser,
	address: string,
	file: { readonly bytes: Uint8Array<ArrayBuffer>; readonly name: string },
) {
	const body = new FormData();
	body.set("file", new File([file.bytes], file.name));
	const Cookie = `session=${browser.cookies.get("session")?.value}`;
	const headers = { Cookie, Origin: "http://localhost:3000", Accept: "text/html" };
	const url = new URL(address, "http://localhost:3000").href;
	const answer = await service.open(url, { method: "POST", body, headers, redirect: "manual" });
	return { status: answer.status, location: answer.headers.get("location") ?? "", html: await answer.text() };
}
