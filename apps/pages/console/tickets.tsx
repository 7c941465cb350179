import { UPLOAD_TICKET_STATES } from "@svc/sdk/lists";
import type { App, ErrorObject, UploadTicket, UploadTicketState } from "@svc/sdk/shapes";
import { fileSize, Moment } from "../kit/parts.tsx";
import { usePlain } from "../kit/text.ts";
import { type Page, type PageResult, redirect } from "../kit/visit.ts";
import { CopyButton } from "./kit/copy-button.tsx";
import { ActForm, TextArea, TextField } from "./kit/forms.tsx";
import { screenPage } from "./kit/frame.tsx";
import { Lines } from "./kit/lines.tsx";
import { Pager } from "./kit/pager.tsx";
import { type ConsolePost, type ConsoleVisit, canEdit, clientOf, type Refused, type Screen } from "./kit/visit.ts";
import { t } from "./messages.ts";

/* Upload tickets: permissions to upload one picture each, as an App's backend gives them to browsers and phones. */

export const ticketsScreen: Screen = {
	path: "/:app/tickets",
	get: (visit, refused) => ticketsPage(visit, { refused }),
	acts: { create, cancel },
};

interface Answer {
	readonly refused?: Refused | undefined;
	readonly made?: UploadTicket;
}

async function ticketsPage(visit: ConsoleVisit, { refused, made }: Answer): Promise<Page> {
	const read = (name: string) => visit.url.searchParams.get(name) || undefined;
	const state = read("state") as UploadTicketState | undefined;
	const [app, { data, pagination }] = await Promise.all([
		visit.api.apps.get(visit.params.app ?? ""),
		ticketsOf(visit).list({ cursor: read("cursor"), ...(state && { state }) }),
	]);
	const form = { visit, here: ticketsPath(visit), refused };
	const children = (
		<>
			{made && <Made ticket={made} />}
			{canEdit(app) && <NewTicket {...form} />}
			<Filter visit={visit} state={state} />
			{data.length === 0 && <p className="empty soft">{t("tickets.none")}</p>}
			{data.length > 0 && <Table {...form} app={app} tickets={data} />}
			<Pager visit={visit} next={pagination.next_cursor} />
		</>
	);
	return screenPage(visit, { title: t("tickets"), app, screen: "tickets", scripts: ["copy"], children });
}

/** Of the App storage, or of one user's. */
function ticketsOf(visit: ConsoleVisit) {
	return clientOf(visit, visit.params.app ?? "", storageOf(visit)).tickets;
}

function storageOf({ url }: ConsoleVisit): string | null {
	return url.searchParams.get("storage") || null;
}

function ticketsPath(visit: ConsoleVisit): string {
	const storage = storageOf(visit);
	const path = `/console/${visit.params.app}/tickets`;
	return storage === null ? path : `${path}?${new URLSearchParams({ storage })}`;
}

function Filter({ visit, state }: { readonly visit: ConsoleVisit; readonly state: string | undefined }) {
	const say = usePlain();
	return (
		<search>
			<form className="search" method="get" action={`/console/${visit.params.app}/tickets`}>
				<input
					type="search"
					name="storage"
					defaultValue={storageOf(visit) ?? ""}
					aria-label={say(t("tickets.user"))}
					placeholder={say(t("tickets.user"))}
				/>
				<select name="state" data-keys="/" defaultValue={state ?? ""} aria-label={say(t("tickets.state"))}>
					<option value="">{t("tickets.all")}</option>
					{UPLOAD_TICKET_STATES.map((one) => (
						<option key={one} value={one}>
							{t(`tickets.${one}`)}
						</option>
					))}
				</select>
				<button className="quiet" type="submit">
					{t("search")}
				</button>
			</form>
		</search>
	);
}

interface FormProps {
	readonly visit: ConsoleVisit;
	readonly here: string;
	readonly refused: Refused | undefined;
}

function Table({
	visit,
	here,
	app,
	tickets,
}: FormProps & { readonly app: App; readonly tickets: readonly UploadTicket[] }) {
	const lines = tickets.map((ticket) => ({
		id: ticket.id,
		cells: [
			<code key="id">{ticket.id}</code>,
			<TicketState key="state" of={ticket} app={app} storage={storageOf(visit)} />,
			<Moment key="until" ms={Date.parse(ticket.expires_at)} />,
			fileSize(ticket.max_bytes),
			ticket.attempts,
			ticket.state === "open" && canEdit(app) && (
				<div key="acts" className="acts">
					<ActForm visit={visit} action={here} act="cancel" fields={{ ticket: ticket.id }}>
						<button className="quiet slim" type="submit">
							{t("cancel")}
						</button>
					</ActForm>
				</div>
			),
		],
	}));
	const columns = [t("id"), t("tickets.state"), t("tickets.until"), t("tickets.most"), t("tickets.tries"), ""];
	return <Lines caption={t("tickets")} columns={columns} numbers={[3, 4]} lines={lines} />;
}

interface StateProps {
	readonly of: UploadTicket;
	readonly app: App;
	readonly storage: string | null;
}

/** One that was used leads to its picture; one that was tried in vain says why. */
function TicketState({ of: { state, image_id, failure }, app, storage }: StateProps) {
	const query = storage === null ? "" : `?${new URLSearchParams({ storage })}`;
	const words = t(`tickets.${state}` as "tickets.open");
	return (
		<>
			{state === "used" ? <a href={`/console/${app.id}/images/${image_id}${query}`}>{words}</a> : words}
			{failure && <p className="soft">{reasonOf(failure)}</p>}
		</>
	);
}

/** What is wrong with the file, in the API's own words. */
function reasonOf({ message, details }: ErrorObject): string {
	return details ? Object.values(details).flat().join(" ") : message;
}

function NewTicket({ visit, here, refused }: FormProps) {
	const common = { act: "create", refused };
	return (
		<details className="ask narrow" open={refused?.act === "create"}>
			<summary className="button primary">{t("tickets.new")}</summary>
			<div className="card">
				<p className="soft">{t("tickets.about")}</p>
				<ActForm visit={visit} action={here} act="create" refused={refused}>
					<TextField {...common} name="expires_in" label={t("tickets.for")} hint={t("tickets.for.hint")} value="1h" />
					<TextField
						{...common}
						name="max_bytes"
						label={t("tickets.max_bytes")}
						hint={t("tickets.max_bytes.hint")}
						input={{ inputMode: "numeric" }}
					/>
					<TextArea {...common} name="origins" label={t("tickets.origins")} hint={t("tickets.origins.hint")} />
					<button className="primary" type="submit">
						{t("tickets.create")}
					</button>
				</ActForm>
			</div>
		</details>
	);
}

/** Whoever has the address may upload: it stands on the answer alone. */
function Made({ ticket }: { readonly ticket: UploadTicket }) {
	return (
		<div className="card narrow" role="status">
			<p>{t("tickets.address", { until: <Moment ms={Date.parse(ticket.expires_at)} /> })}</p>
			<code className="secret" id="address">
				{ticket.url}
			</code>
			<CopyButton of="address" />
		</div>
	);
}

async function create(post: ConsolePost): Promise<PageResult> {
	const text = (name: string) => post.form.get(name)?.trim() || undefined;
	const maxBytes = text("max_bytes");
	const made = await ticketsOf(post).create({
		expiresIn: text("expires_in"),
		maxBytes: maxBytes === undefined ? undefined : Number(maxBytes),
		origins: text("origins")?.split(/\s+/),
		...(post.idempotencyKey && { idempotencyKey: post.idempotencyKey }),
	});
	return await ticketsPage(post, { made });
}

async function cancel(post: ConsolePost): Promise<PageResult> {
	await ticketsOf(post).cancel(post.form.get("ticket") ?? "");
	await post.leave({ what: "cancelled" });
	return redirect(ticketsPath(post));
}
