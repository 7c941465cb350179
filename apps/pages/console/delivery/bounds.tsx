import { DELIVERY_POLICIES } from "@svc/sdk/lists";
import type { AppChanges } from "@svc/sdk/management";
import type { UsageRow } from "@svc/sdk/shapes";
import type { ReactNode } from "react";
import type { FormFields } from "../../kit/form.ts";
import { fileSize, numberText } from "../../kit/parts.tsx";
import { ActForm, SelectField, TextArea, TextField } from "../kit/forms.tsx";
import { refusal } from "../kit/refusals.ts";
import { t } from "../messages.ts";
import type { DeliveryParts } from "./delivery.tsx";

/* The policy of an App, the pages that may show its images, and how much of them is served and made in a day. */

export function Bounds(props: DeliveryParts & { readonly today: UsageRow | undefined }) {
	return (
		<div className="panels">
			<section className="card" aria-labelledby="today">
				<h2 id="today">{t("delivery.today")}</h2>
				<Today {...props} />
			</section>
			{props.isAdmin && <Form {...props} />}
		</div>
	);
}

function Today({ app, today }: Parameters<typeof Bounds>[0]) {
	const { bytes, renditions } = app.delivery_limits;
	const hosts = app.delivery_referrers;
	return (
		<dl className="facts">
			<Fact name={t("delivery.policy")}>{t(`delivery.${app.delivery}` as "delivery.open")}</Fact>
			<Fact name={t("delivery.referrers")}>
				{hosts.length === 0 ? t("delivery.referrers.all") : <bdi>{hosts.join(", ")}</bdi>}
			</Fact>
			<Fact name={t("days.bytes")}>
				<Used now={today?.bytes_served ?? 0} most={bytes} say={fileSize} />
			</Fact>
			<Fact name={t("days.renditions")}>
				<Used now={today?.renditions ?? 0} most={renditions} say={numberText} />
			</Fact>
		</dl>
	);
}

function Fact({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}

interface UsedProps {
	readonly now: number;
	readonly most: number | null;
	readonly say: (value: number) => ReactNode;
}

function Used({ now, most, say }: UsedProps) {
	if (most === null) return "–";
	return (
		<>
			{say(now)} <span className="soft">/ {say(most)}</span>{" "}
			{now >= most && <span className="tag warns">{t("delivery.reached")}</span>}
		</>
	);
}

function Form({ visit, app, here, refused }: DeliveryParts) {
	const common = { act: "save", refused };
	const { bytes, renditions } = app.delivery_limits;
	return (
		<div className="card">
			<h2>{t("delivery.bounds")}</h2>
			<ActForm visit={visit} action={here} act="save" refused={refused}>
				<SelectField
					{...common}
					name="delivery"
					label={t("delivery.policy")}
					value={app.delivery}
					options={DELIVERY_POLICIES.map((value) => ({ value, text: t(`delivery.${value}`) }))}
				/>
				<TextArea
					{...common}
					name="delivery_referrers"
					label={t("delivery.referrers")}
					hint={t("delivery.referrers.hint")}
					value={app.delivery_referrers.join("\n")}
				/>
				<TextField
					{...common}
					name="delivery_limits.bytes"
					label={t("delivery.bytes")}
					hint={t("delivery.bytes.hint")}
					value={sizeText(bytes)}
				/>
				<TextField
					{...common}
					name="delivery_limits.renditions"
					label={t("delivery.renditions")}
					hint={t("delivery.renditions.hint")}
					value={renditions?.toString() ?? ""}
					input={{ inputMode: "numeric" }}
				/>
				<button className="primary" type="submit">
					{t("save")}
				</button>
			</ActForm>
		</div>
	);
}

/** @throws ApiError 422 naming the limit that is no number */
export function boundsIn(form: FormFields): AppChanges {
	const text = (name: string) => form.get(name)?.trim() ?? "";
	return {
		delivery: form.get("delivery") ?? undefined,
		deliveryReferrers: text("delivery_referrers").split(/\s+/).filter(Boolean),
		deliveryLimits: { bytes: limitIn("bytes", text), renditions: limitIn("renditions", text) },
	};
}

/** Decimal, as sizes are shown everywhere. */
const UNITS = ["", "KB", "MB", "GB", "TB"];

/** Of bytes `50 GB`, or the whole number; null where nothing is typed. */
function limitIn(of: "bytes" | "renditions", text: (name: string) => string): number | null {
	const name = `delivery_limits.${of}`;
	const typed = text(name);
	if (typed === "") return null;
	const [, number = "", unit = ""] = (of === "bytes" ? /^(\d+(?:\.\d+)?)\s*([kmgt]b)?$/i : /^(\d+)$/).exec(typed) ?? [];
	const limit = Math.round(Number(number || "none") * 1_000 ** UNITS.indexOf(unit.toUpperCase()));
	// In the API's own words.
	if (!Number.isSafeInteger(limit)) throw refusal(name, "must be a whole number, or null for any number");
	return limit;
}

/** So that it is read back as it is. */
function sizeText(bytes: number | null): string {
	if (bytes === null) return "";
	const power = bytes === 0 ? 0 : UNITS.findLastIndex((_, place) => bytes % 1_000 ** place === 0);
	return `${bytes / 1_000 ** power} ${UNITS[power]}`.trim();
}
