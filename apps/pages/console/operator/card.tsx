import type { ModerationItem, Report } from "@svc/sdk/shapes";
import type { ReactNode } from "react";
import { fileSize, Moment } from "../../kit/parts.tsx";
import { ActForm } from "../kit/forms.tsx";
import type { ConsoleVisit, Refused } from "../kit/visit.ts";
import { applies, Decided, decisionOf, QUEUE, VERBS, type Verb, VerbForm } from "./deeds.tsx";
import { at, FactList, OPERATOR, refusal, wordOf } from "./operator.tsx";

/* One picture that is to be decided of: large, what was said of it, and what can be done. */

interface CardProps {
	readonly visit: ConsoleVisit;
	readonly item: ModerationItem;
	/** The query of the list that it stands in; undefined on its own page. */
	readonly back: string | undefined;
	readonly refused?: Refused | undefined;
}

/** The attributes of the element around it, by which `scripts/moderate.js` finds it and sees that it is another by now. */
export function cardOf({ id, revision, reports_count, actions }: ModerationItem) {
	return { id, className: "one card", "data-item": [revision, reports_count, actions.length].join(" ") };
}

export function Card(props: CardProps) {
	const { visit, item, back, refused } = props;
	// On its own page its name is the first heading.
	const Title = back === undefined ? "h2" : "h3";
	const { id, image, locked } = item;
	const decision = back === undefined ? decisionOf(visit) : undefined;
	const isItsOwn = decision?.done.length === 1 && decision.done[0]?.id === id;
	return (
		<>
			<Picture item={item} />
			<div className="beside verdict">
				{decision && isItsOwn && <Decided visit={visit} decision={decision} back={back} />}
				{refusal(refused)}
				<div className="heading">
					{back !== undefined && (
						<>
							<Box item={item} />
							<h2>
								<a href={`${QUEUE}/${id}`}>
									<bdi>{image.filename}</bdi>
								</a>
							</h2>
						</>
					)}
					<Tags item={item} />
				</div>
				{locked && image.status !== "blocked" && (
					<p className="soft">Locked: nobody changes it, and it is still served until it is decided.</p>
				)}
				<Acts {...props} />
				<Likeness item={item} Title={Title} />
				<Reports item={item} Title={Title} />
				<Facts item={item} />
				<History item={item} Title={Title} />
				{back === undefined && <Remove {...props} />}
			</div>
		</>
	);
}

export function Box({ item: { id, image } }: { readonly item: ModerationItem }) {
	const label = `Select ${image.filename}`;
	return <input className="box" type="checkbox" name="ids" value={id} form="choose" aria-label={label} />;
}

function Tags({ item: { image, locked, blocked_reason: reason } }: { readonly item: ModerationItem }) {
	const state = reason === null ? wordOf(image.status) : `Blocked: ${wordOf(reason)}`;
	const tags = [image.status === "ready" ? "Served" : state, locked && "Locked", image.nsfw && wordOf("nsfw")];
	return (
		<p>
			{tags.filter(Boolean).map((tag) => (
				<span key={String(tag)} className="tag">
					{tag}
				</span>
			))}
		</p>
	);
}

/** Pixels: as large as a screen shows it, and small enough to be there at once. */
const LARGE = { width: 1_200, height: 900 };
const SMALL = { width: 480, height: 320 };

/** The address of a picture as operators see it. An SVG is shown as it is stored. */
function shownAt({ id, image: { format } }: Pick<ModerationItem, "id" | "image">, box = LARGE): string {
	const drawn = `?w=${box.width}&h=${box.height}${format === "jpg" ? "&format=jpg" : ""}`;
	return `${QUEUE}/${id}/preview${format === "svg" ? "" : drawn}`;
}

function isVeiled({ image: { nsfw, status } }: ModerationItem): boolean {
	return nsfw || status === "blocked";
}

/** What was flagged or blocked is blurred until it is asked for. */
function Picture({ item }: { readonly item: ModerationItem }) {
	if (item.image.status === "failed") {
		return (
			<figure className="large">
				<span className="plate wrong">
					<strong>Could not be processed</strong>
				</span>
			</figure>
		);
	}
	const shown = <Img item={item} box={LARGE} />;
	return (
		<figure className="large">
			{isVeiled(item) ? (
				<details className="veil">
					<summary data-keys="v" data-now="">
						<span className="button quiet slim">Show or hide the picture</span>
						{shown}
					</summary>
				</details>
			) : (
				shown
			)}
		</figure>
	);
}

function Img({ item, box }: { readonly item: ModerationItem; readonly box: typeof LARGE }) {
	const { width, height } = item.image;
	const scale = Math.min(1, box.width / Math.max(1, width), box.height / Math.max(1, height));
	return (
		<img
			src={shownAt(item, box)}
			alt={item.image.caption}
			loading="lazy"
			decoding="async"
			width={Math.max(1, Math.round(width * scale))}
			height={Math.max(1, Math.round(height * scale))}
		/>
	);
}

/** A small one, in a grid. */
export function Small({ item }: { readonly item: ModerationItem }) {
	if (item.image.status === "failed") return <span className="plate wrong">Could not be processed</span>;
	return isVeiled(item) ? (
		<span className="veil">
			<Img item={item} box={SMALL} />
		</span>
	) : (
		<Img item={item} box={SMALL} />
	);
}

/** How near the two are, by the word of the API. */
const KINDS: Readonly<Record<string, string>> = {
	same_bytes: "The same file as one that was blocked",
	same_pixels: "The same picture as one that was blocked",
};

/** The blocked picture for which the service itself locked or blocked this one, beside it. */
function Likeness({ item: { similar }, Title }: PartProps) {
	if (similar === null) return null;
	const { image_id, kind, score, reason, gone } = similar;
	const { width, height } = SMALL;
	return (
		<section aria-label="Likeness">
			<Title>{KINDS[kind] ?? `Like one that was blocked, by ${Math.round(score * 100)} %`}</Title>
			<p>
				<a href={`${QUEUE}/${image_id}`}>{image_id}</a>
				{reason !== null && `, blocked for ${wordOf(reason)}`}
				{gone && ", deleted since"}
			</p>
			{!gone && (
				<details className="veil">
					<summary>
						<span className="button quiet slim">Show or hide the other picture</span>
						<img src={`${QUEUE}/${image_id}/preview?w=${width}&h=${height}`} alt="" loading="lazy" decoding="async" />
					</summary>
				</details>
			)}
		</section>
	);
}

interface PartProps {
	readonly item: ModerationItem;
	readonly Title: "h2" | "h3";
}

/** What those who reported it wrote. */
function Reports({ item: { reports, reports_count: count }, Title }: PartProps) {
	if (count === 0) return null;
	return (
		<section aria-label="Reports">
			<Title>{count === 1 ? "1 report" : `${count} reports`}</Title>
			<ul className="points">
				{reports.map((report) => (
					<li key={report.id}>
						<ReportWords report={report} />
					</li>
				))}
			</ul>
		</section>
	);
}

export function ReportWords({ report: { reason, note, email, source, created_at } }: { readonly report: Report }) {
	return (
		<>
			<strong>
				{wordOf(reason)}
				{source === "service" && ", by the service itself"}
			</strong>
			{note !== null && (
				<q className="words">
					<bdi>{note}</bdi>
				</q>
			)}
			<span className="fine">
				{email !== null && (
					<>
						<bdi>{email}</bdi>,{" "}
					</>
				)}
				<Moment ms={at(created_at)} />
			</span>
		</>
	);
}

function formsOf({ visit, item, back }: CardProps) {
	const fields = { revision: String(item.revision), ...(back !== undefined && { back }) };
	return { visit, action: `${QUEUE}/${item.id}`, fields };
}

/** What would change it, the heavier first. */
const ORDER = ["unblock", "unlock", "lock", "block", "nsfw", "not_nsfw"] as const satisfies readonly Verb[];

function Acts(props: CardProps) {
	const { item } = props;
	const form = formsOf(props);
	const was: Readonly<Record<string, string>> = item.blocked_reason === null ? {} : { was: item.blocked_reason };
	return (
		<div className="acts">
			{ORDER.filter((verb) => applies(verb, item)).map((verb) => (
				<VerbForm
					key={verb}
					{...form}
					fields={{ ...form.fields, ...(VERBS[verb].undo === "block" && was) }}
					verb={verb}
					reason={item.reports[0]?.reason}
				/>
			))}
			{item.reports.length > 0 && <Dismiss {...props} />}
		</div>
	);
}

/** Settles its reports without a change of the picture; nobody can take that back, so that it takes two keys. */
function Dismiss(props: CardProps) {
	const { reports } = props.item;
	const form = formsOf(props);
	const ids = reports.map(({ id }) => id).join(",");
	return (
		<ActForm {...form} act="dismiss" fields={{ ...form.fields, reports: ids }}>
			<button className="quiet slim" type="submit" data-keys="i">
				Dismiss {reports.length === 1 ? "the report" : `${reports.length} reports`}
			</button>
		</ActForm>
	);
}

/** For good: it is asked for twice. */
function Remove(props: CardProps) {
	return (
		<details className="ask">
			<summary className="button quiet slim">Delete</summary>
			<ActForm {...formsOf(props)} act="delete">
				<p>It is deleted for good. Its history stays, and its open reports are settled.</p>
				<button className="danger" type="submit">
					Delete
				</button>
			</ActForm>
		</details>
	);
}

function Facts({ item: { id, image, created_at } }: { readonly item: ModerationItem }) {
	const facts: readonly (readonly [string, ReactNode])[] = [
		[
			"App",
			<a key="app" href={`${OPERATOR}/apps?id=${image.app_id}`}>
				{image.app_id}
			</a>,
		],
		["Storage", image.storage],
		["Picture", `${image.width} × ${image.height}, ${image.format}`],
		["Size", fileSize(image.bytes)],
		["Uploaded", <Moment key="at" ms={at(created_at)} />],
		...(image.caption === "" ? [] : ([["Caption", <bdi key="caption">{image.caption}</bdi>]] as const)),
	];
	return (
		<>
			<FactList facts={facts} />
			<p className="acts">
				<code id={`id-${id}`}>{id}</code>
				<button className="quiet slim" type="button" data-copy={`id-${id}`} data-copied="Copied" data-keys="y">
					Copy the id
				</button>
				<a className="button quiet slim" href={`${QUEUE}/${id}/preview`} target="_blank" rel="noopener" data-keys="f">
					Full picture
				</a>
				<a className="button quiet slim" href={`${QUEUE}?similar_to=${id}`}>
					The same elsewhere
				</a>
				{image.status === "ready" && (
					<a className="button quiet slim" href={image.url} target="_blank" rel="noopener noreferrer" data-keys="o">
						Its address
					</a>
				)}
			</p>
		</>
	);
}

/** What operators did to it, the newest first. */
function History({ item: { actions }, Title }: PartProps) {
	if (actions.length === 0) return null;
	return (
		<section aria-label="History">
			<Title>History</Title>
			<ul className="points">
				{actions.map(({ id, action, reason, note, actor, actor_email, similar_to, created_at }) => (
					<li key={id}>
						<strong>{pastOf(action)}</strong>
						{reason !== null && ` for ${wordOf(reason)}`} by <bdi>{actor_email ?? actor}</bdi>
						{similar_to !== null && (
							<>
								, like <a href={`${QUEUE}/${similar_to}`}>{similar_to}</a>
							</>
						)}
						{note !== null && (
							<q className="words">
								<bdi>{note}</bdi>
							</q>
						)}
						<span className="fine">
							<Moment ms={at(created_at)} />
						</span>
					</li>
				))}
			</ul>
		</section>
	);
}

function pastOf(action: string): string {
	return Object.hasOwn(VERBS, action) ? VERBS[action as Verb].done : wordOf(action);
}
