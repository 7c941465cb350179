import { Failure } from "@svc/base/failure";
import { addPasskey, removePasskey, startPasskey } from "@svc/people/passkeys/passkeys";
import { requireFresh } from "@svc/people/people";
import { readForm, requireToken } from "../../kit/form.ts";
import type { PagesRooms } from "../../kit/rooms.ts";
import { type Page, type PageResult, type Route, redirect } from "../../kit/visit.ts";
import { type AccountPost, getCall } from "../account/account-call.ts";
import { sectionPage } from "../account/account-pages.tsx";
import { t } from "../messages.ts";
import { leaveNotice } from "../notices.ts";
import { isAbout, optionsAnswer, sentCredential } from "./passkey-calls.ts";
import { PASSKEY_NAME_MAX, passkeysCard } from "./passkeys-section.tsx";

/* Adding and removing passkeys of one's own account. */

const SECTION = "/account/passkeys";

export function passkeyRoutes(rooms: PagesRooms): Route[] {
	return [
		{
			path: `${SECTION}/options`,
			post: async (visit) => {
				const form = await readForm(visit, rooms.addresses);
				const { person } = await getCall(rooms, visit);
				await requireToken(form, visit.cookies.read("session"), SECTION);
				return optionsAnswer(await startPasskey(rooms.people, person));
			},
		},
	];
}

/** The deed of the section's form. Without a credential it comes from somebody who has to confirm who they are, or has just done so. */
export async function addOne(call: AccountPost): Promise<PageResult> {
	const { rooms, person, form, by } = call;
	const typed = (form.get("name") ?? "").trim();
	if (typed === "" || [...typed].length > PASSKEY_NAME_MAX) {
		return shown(call, 422, { typed, nameFault: t("passkeys.name.fault", { most: PASSKEY_NAME_MAX }) });
	}
	if (!form.get("credential")) {
		requireFresh(person, by.nowMs);
		return shown(call, 200, { typed, confirmed: true });
	}
	try {
		await addPasskey(rooms.people, person, { ...sentCredential(form), name: typed }, by);
	} catch (cause) {
		return shown(call, 422, { typed, fault: refusalOf(cause) });
	}
	await leaveNotice(call, { done: "passkey_added" });
	return redirect("/account/security");
}

/** @throws whatever is not about the passkey itself */
function refusalOf(cause: unknown) {
	if (isAbout(cause, "credential") || (cause instanceof Failure && cause.code === "invalid_code"))
		return t("passkeys.add.failed");
	throw cause;
}

async function shown(
	call: AccountPost,
	status: number,
	said: NonNullable<Parameters<typeof passkeysCard>[1]>,
): Promise<Page> {
	const { person, token } = call;
	const children = await passkeysCard(call, said);
	return sectionPage(
		t("passkeys"),
		{ email: person.account.email, token, notice: undefined, children },
		{ status, passkeys: true },
	);
}

/** The deed of the button beside each. */
export async function removeOne(call: AccountPost): Promise<PageResult> {
	const { rooms, visit, person, by } = call;
	await removePasskey(rooms.people, person, visit.params.passkey ?? "", by);
	await leaveNotice(call, { done: "passkey_removed" });
	return redirect("/account/security");
}
