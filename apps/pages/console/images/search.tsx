import type { ReactNode } from "react";
import { type Text, usePlain } from "../../kit/text.ts";
import type { Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { type Filter, type FilterField, type ListPlace, labelsOf, queryOf, withLabel, withoutLabel } from "./filter.ts";
import type { ShownList } from "./listing.ts";
import { numberOf } from "./picture-facts.tsx";

/* What narrows the list of images: a form, and a link for each label. The address that either leads to says all of it. */

const FORMATS = ["jpg", "png", "webp", "avif", "gif"];

/** Fields that the form asks for. Older interfaces know the first three of them. */
const ASKED: readonly FilterField[] = ["q", "format", "order", "state", "published_from", "published_to", "storage"];
const ASKED_BEFORE = ASKED.slice(0, 3);

/** What narrows the list and is not asked for by the form itself. */
export function Hidden({
	filter,
	without = [],
}: {
	readonly filter: Filter;
	readonly without?: readonly FilterField[];
}) {
	return Object.entries(filter)
		.filter(([name]) => !without.includes(name as FilterField))
		.map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />);
}

interface SearchProps {
	readonly here: string;
	readonly filter: Filter;
	readonly view: ListPlace["view"];
	/** Older interfaces list by less. */
	readonly isWhole: boolean;
}

export function Search({ here, filter, view, isWhole }: SearchProps) {
	const say = usePlain();
	return (
		<search>
			<form className="search" method="get" action={here}>
				<Hidden filter={filter} without={isWhole ? ASKED : ASKED_BEFORE} />
				{view === "table" && <input type="hidden" name="view" value={view} />}
				<input
					type="search"
					name="q"
					data-keys="/"
					defaultValue={filter.q}
					aria-label={say(t("search"))}
					placeholder={say(t("search.hint"))}
				/>
				<Choice name="format" label={t("format")} filter={filter}>
					<option value="">{t("format.any")}</option>
					{FORMATS.map((one) => (
						<option key={one} value={one}>
							{one}
						</option>
					))}
				</Choice>
				<Choice name="order" label={t("order")} filter={filter}>
					<option value="">{t("order.desc")}</option>
					<option value="asc">{t("order.asc")}</option>
				</Choice>
				{isWhole && <States filter={filter} />}
				<button className="quiet" type="submit">
					{t("search")}
				</button>
				{isWhole && <More filter={filter} />}
			</form>
		</search>
	);
}

interface ChoiceProps {
	readonly name: FilterField;
	readonly label: Text;
	readonly filter: Filter;
	readonly children: ReactNode;
}

function Choice({ name, label, filter, children }: ChoiceProps) {
	return (
		<select name={name} defaultValue={filter[name] ?? ""} aria-label={usePlain()(label)}>
			{children}
		</select>
	);
}

const STATES = {
	"": t("state.ready"),
	blocked: t("state.blocked"),
	locked: t("state.locked"),
	failed: t("state.failed"),
	deleted: t("state.deleted"),
} as const;

function States({ filter }: { readonly filter: Filter }) {
	return (
		<Choice name="state" label={t("state")} filter={filter}>
			{Object.entries(STATES).map(([value, text]) => (
				<option key={value} value={value}>
					{text}
				</option>
			))}
		</Choice>
	);
}

/** What is asked for less often. A day is one in UTC, as all of the console says times. */
function More({ filter }: { readonly filter: Filter }) {
	const { published_from: from, published_to: to, storage } = filter;
	const say = usePlain();
	return (
		<details className="more" open={[from, to, storage].some(Boolean)}>
			<summary>{t("filter.more")}</summary>
			<div>
				<label>
					{t("filter.from")} <input type="date" name="published_from" defaultValue={from} />
				</label>
				<label>
					{t("filter.to")} <input type="date" name="published_to" defaultValue={to} />
				</label>
				<label>
					{t("storage")} <input name="storage" defaultValue={storage} placeholder={say(t("filter.storage"))} />
				</label>
			</div>
		</details>
	);
}

/** Fields that stand beside the labels once they narrow the list, each to be removed by itself. */
const SHOWN: Readonly<Partial<Record<FilterField, Text>>> = {
	storage: t("storage"),
	published_from: t("filter.from"),
	published_to: t("filter.to"),
	created_from: "created_from",
	created_to: "created_to",
	expires_from: "expires_from",
	expires_to: "expires_to",
	filename_prefix: t("file"),
	external_id: t("external_id"),
	sha256: "SHA-256",
	similar_to: t("similar"),
};

/** What the list is narrowed by, and each label by which it can be. */
export function Narrowed({
	here,
	listing: { filter, place, labels },
}: {
	readonly here: string;
	readonly listing: ShownList;
}) {
	const name = usePlain()(t("labels"));
	const chosen = labelsOf(filter);
	const offered = labels.data
		.map(({ key, value, count, more }) => ({ label: `${key}=${value}`, count, more }))
		.filter(({ label }) => !chosen.includes(label));
	const fields = Object.entries(SHOWN).filter(([field]) => filter[field as FilterField]);
	const link = (next: Filter) => here + queryOf(next, { view: place.view });
	if (chosen.length + offered.length + fields.length === 0) return null;
	return (
		<nav className="facets" aria-label={name}>
			<ul>
				{fields.map(([field, text]) => (
					<On key={field} href={link({ ...filter, [field]: undefined })}>
						{text} <bdi>{filter[field as FilterField]}</bdi>
					</On>
				))}
				{chosen.map((label) => (
					<On key={label} href={link(withoutLabel(filter, label))}>
						<bdi>{label}</bdi>
					</On>
				))}
				{offered.map(({ label, count, more }) => (
					<li key={label}>
						<a className="facet" href={link(withLabel(filter, label))}>
							<bdi>{label}</bdi>{" "}
							<span className="soft">
								{numberOf(count)}
								{more && "+"}
							</span>
						</a>
					</li>
				))}
			</ul>
		</nav>
	);
}

function On({ href, children }: { readonly href: string; readonly children: ReactNode }) {
	return (
		<li>
			<a className="facet on" href={href}>
				{children} <span aria-hidden="true">×</span>
				<span className="unseen">{t("facet.remove")}</span>
			</a>
		</li>
	);
}

/** What the API refused of a filter, field by field. */
export function refusedText({ error: { details = {}, message } }: Refused): string {
	const faults = Object.entries(details).map(([field, texts]) => `${field}: ${texts.join(" ")}`);
	return faults.join(" ") || message;
}
