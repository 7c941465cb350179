import { BLOCK_REASONS } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { imageUrl } from "@svc/images/images";
import { createReport, NOTE_MAX } from "@svc/moderation/reports";
import * as v from "valibot";
import { findPublic } from "../images/images.ts";
import { flowSecret, formToken, readForm, requireToken } from "../kit/form.ts";
import { contentPolicy, missing } from "../kit/layout.tsx";
import { Alert, duration, EMAIL_INPUT, Field, PostForm } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import { type Message, usePlain } from "../kit/text.ts";
import { type Page, type PageResult, type Route, redirect, show, type Visit } from "../kit/visit.ts";
import { localeOf } from "../people/language.ts";
import { t } from "./messages.ts";

/* The form on which any visitor reports an image. The visitor does not learn whether there is such an image. */

const reported = v.object({
	reason: v.picklist(BLOCK_REASONS),
	note: v.optional(v.pipe(v.string(), v.maxLength(NOTE_MAX)), ""),
	email: v.optional(
		v.pipe(v.string(), v.trim(), v.maxLength(254), v.union([v.literal(""), v.pipe(v.string(), v.email())])),
		"",
	),
});

type Faults = Partial<Record<keyof v.InferOutput<typeof reported> | "form", Message>>;

export function reportRoutes(rooms: PagesRooms): Route[] {
	return [
		{
			path: "/report/:image",
			get: async (visit) => {
				requireImageId(visit);
				return visit.url.searchParams.has("sent") ? thanks() : await formPage(rooms, visit, new Map(), {});
			},
			post: (visit) => report(rooms, visit),
		},
	];
}

function requireImageId({ params }: Visit): string {
	const { image = "" } = params;
	if (!isId("img", image)) throw missing();
	return image;
}

async function report(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const imageId = requireImageId(visit);
	const form = await readForm(visit, rooms.addresses);
	await requireToken(form, visit.cookies.read("flow"), visit.url.pathname);
	const sent = v.safeParse(reported, Object.fromEntries(form));
	if (!sent.success) return formPage(rooms, visit, form, faultsOf(sent.issues), 422);
	try {
		const locale = await localeOf(rooms, visit);
		const address = rooms.addressOf(visit.request);
		await createReport(rooms.moderation, { imageId, ...sent.output, locale, address });
	} catch (cause) {
		if (!(cause instanceof Failure) || cause.code !== "rate_limited") throw cause;
		const fault = t("too_often", { wait: duration(cause.retryAfterSeconds ?? 60) });
		return formPage(rooms, visit, form, { form: fault }, 429);
	}
	// Loaded once more, the thanks do not report it again.
	return redirect(`${visit.url.pathname}?sent=1`);
}

const FAULTS = {
	reason: t("reason.fault"),
	note: t("note.fault", { most: NOTE_MAX }),
	email: t("email.fault"),
} as const;

function faultsOf(issues: readonly v.InferIssue<typeof reported>[]): Faults {
	const names = new Set(issues.map((issue) => issue.path?.[0].key));
	return Object.fromEntries(Object.entries(FAULTS).filter(([name]) => names.has(name as keyof typeof FAULTS)));
}

/**
 * The address of the picture, for its page beside the form: one that everybody may see, or the one that the link gave (`picture`), which
 * the visitor's own browser loads. So nobody sees a picture here who could not see it anyhow, nor learns whether there is one.
 */
async function findShown(rooms: PagesRooms, { url }: Visit, imageId: string): Promise<string | undefined> {
	const { hosts, ...addresses } = rooms.addresses;
	const { cdn } = addresses;
	const given = URL.parse(url.searchParams.get("picture") ?? "");
	const isOurs = given && (given.origin === new URL(cdn).origin || hosts?.appAt(given.host) !== undefined);
	if (isOurs && new RegExp(`^/\\w+/${imageId}\\.\\w+$`).test(given.pathname)) {
		return `${cdn}${given.pathname}${given.search}`;
	}
	const image = await findPublic(rooms, imageId);
	return image && imageUrl(addresses, image);
}

async function formPage(
	rooms: PagesRooms,
	visit: Visit,
	form: ReadonlyMap<string, string>,
	faults: Faults,
	status = 200,
): Promise<Page> {
	const { image = "" } = visit.params;
	const token = await formToken(flowSecret(visit));
	const shown = await findShown(rooms, visit, image);
	const headers = shown === undefined ? {} : { "Content-Security-Policy": contentPolicy(rooms.addresses.cdn) };
	const body = (
		<div className="card">
			<div className="stack">
				<h1>{t("title")}</h1>
				<p className="soft">{t("lead")}</p>
			</div>
			<Reported id={image} address={shown} />
			{faults.form && <Alert answers>{faults.form}</Alert>}
			<PostForm action={`${visit.url.pathname}${visit.url.search}`} token={token}>
				<Reasons chosen={form.get("reason")} fault={faults.reason} />
				<Note text={form.get("note") ?? ""} fault={faults.note} focused={!faults.reason && faults.note !== undefined} />
				<Field
					name="email"
					label={t("email")}
					hint={t("email.hint")}
					fault={faults.email}
					input={{
						...EMAIL_INPUT,
						defaultValue: form.get("email") ?? "",
						// The first fault has the focus.
						...((faults.reason || faults.note) && { autoFocus: false }),
					}}
				/>
				<div className="actions">
					<button className="primary" type="submit">
						{t("send")}
					</button>
				</div>
			</PostForm>
		</div>
	);
	return show(t("title"), body, { status, headers });
}

function Reported({ id, address }: { readonly id: string; readonly address: string | undefined }) {
	const say = usePlain();
	return (
		<figure className="reported">
			{address !== undefined && <img src={address} alt={say(t("picture"))} />}
			<figcaption className="fine">{t("which", { id: <code>{id}</code> })}</figcaption>
		</figure>
	);
}

function Reasons({ chosen, fault }: { readonly chosen: string | undefined; readonly fault: Message | undefined }) {
	return (
		<fieldset aria-describedby={fault && "reason-fault"}>
			<legend>{t("reason")}</legend>
			{fault && (
				<span className="fault" id="reason-fault" role="alert">
					{fault}
				</span>
			)}
			{BLOCK_REASONS.map((reason, place) => (
				<label className="choice" key={reason}>
					<input
						type="radio"
						name="reason"
						value={reason}
						required
						defaultChecked={reason === chosen}
						aria-invalid={fault ? true : undefined}
						{...(fault && place === 0 && { autoFocus: true })}
					/>
					<span>
						<strong>{t(`reason.${reason}.label`)}</strong>
						<br />
						<span className="fine">{t(`reason.${reason}.hint`)}</span>
					</span>
				</label>
			))}
		</fieldset>
	);
}

interface NoteProps {
	readonly text: string;
	readonly fault: Message | undefined;
	readonly focused: boolean;
}

function Note({ text, fault, focused }: NoteProps) {
	return (
		<div className="field">
			<label htmlFor="note">{t("note")}</label>
			<textarea
				id="note"
				name="note"
				maxLength={NOTE_MAX}
				defaultValue={text}
				aria-describedby={fault && "note-fault"}
				aria-invalid={fault ? true : undefined}
				{...(focused && { autoFocus: true })}
			/>
			{fault && (
				<span className="fault" id="note-fault" role="alert">
					{fault}
				</span>
			)}
		</div>
	);
}

function thanks(): Page {
	const body = (
		<div className="card">
			<h1>{t("thanks")}</h1>
			<p>{t("thanks.text")}</p>
		</div>
	);
	return show(t("thanks.title"), body);
}
