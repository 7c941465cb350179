import { LOCALES, type Locale } from "@svc/base/enumerations";
import { moneyText } from "@svc/base/words/money";
import type { ReactNode } from "react";
import { TOKEN_FIELD } from "./form.ts";
import { t } from "./messages.ts";
import { local, type Message, type Text } from "./text.ts";

/* The components of the pages. */

export function Mark() {
	return (
		<Icon>
			<rect x="3" y="3" width="18" height="18" rx="5" />
			<path d="m3.5 17 5-5 4 4 3-3 5 5" />
			<circle cx="15.5" cy="8.5" r="1.5" />
		</Icon>
	);
}

/** A drawing of lines beside words that say the same, so screen readers pass over it. */
export function Icon({ children }: { children: ReactNode }) {
	return (
		<svg
			viewBox="0 0 24 24"
			fill="none"
			stroke="currentColor"
			strokeWidth="2"
			strokeLinejoin="round"
			aria-hidden="true"
			focusable="false"
		>
			{children}
		</svg>
	);
}

/** What browsers and keyboards need to know of a field for an e-mail address. */
export const EMAIL_INPUT = {
	type: "email",
	autoComplete: "email",
	inputMode: "email",
	autoCapitalize: "none",
	spellCheck: false,
	maxLength: 254,
} as const;

/** A name that another person chose: a right-to-left mark in it never rearranges the sentence around it. */
export function Name({ children }: { readonly children: string }) {
	return (
		<strong>
			<bdi>{children}</bdi>
		</strong>
	);
}

/** What a message emphasizes between `<strong>` and `</strong>`. */
export function strong(words: ReactNode) {
	return <strong>{words}</strong>;
}

/** Takes the focus, since nothing else has a message read out that is there when a page has loaded. */
export const ANSWERS = { tabIndex: -1, autoFocus: true } as const;

interface MessageProps {
	readonly children: ReactNode;
	readonly id?: string;
	/** Shows the result of the form that was just sent. */
	readonly answers?: boolean;
}

export function Alert({ faultCode, ...message }: MessageProps & { readonly faultCode?: string | undefined }) {
	return <p className="alert" role="alert" data-fault-code={faultCode} {...messageOf(message)} />;
}

export function Notice(message: MessageProps) {
	return <p className="notice" role="status" {...messageOf(message)} />;
}

function messageOf({ children, id, answers = false }: MessageProps) {
	return { children, id, ...(answers && ANSWERS) };
}

interface FormProps {
	readonly action: string;
	readonly token: string;
	readonly fields?: Readonly<Record<string, string>>;
	readonly children: ReactNode;
}

export function PostForm({ action, token, fields = {}, children }: FormProps) {
	return (
		<form method="post" action={action}>
			<input type="hidden" name={TOKEN_FIELD} value={token} />
			{Object.entries(fields).map(([name, value]) => (
				<input key={name} type="hidden" name={name} value={value} />
			))}
			{children}
		</form>
	);
}

interface FieldProps {
	readonly name: string;
	/** Where two forms of a page have a field of this name. */
	readonly id?: string;
	readonly label: Text;
	readonly hint?: ReactNode;
	/** The fault of the value that was sent: then the field has the focus. */
	readonly fault?: Text | undefined;
	/** Ids of what else the page says about it, read out before the hint. */
	readonly about?: readonly string[];
	/** The attributes of the input itself. */
	readonly input: Omit<React.ComponentProps<"input">, "id" | "name">;
}

export function Field({ name, id = name, label, hint, fault, about = [], input }: FieldProps) {
	const described = [fault && `${id}-fault`, ...about, hint && `${id}-hint`].filter(Boolean).join(" ");
	return (
		<div className="field">
			<label htmlFor={id}>{label}</label>
			{hint && (
				<span className="hint" id={`${id}-hint`}>
					{hint}
				</span>
			)}
			<input
				id={id}
				name={name}
				aria-describedby={described || undefined}
				aria-invalid={fault ? true : undefined}
				{...(fault && { autoFocus: true })}
				{...input}
			/>
			{fault && (
				<span className="fault" id={`${id}-fault`} role="alert">
					{fault}
				</span>
			)}
		</div>
	);
}

/** How many images there are, and how many bytes. */
export function pictures(images: number, bytes: number): Message {
	return t("pictures", { images, bytes: fileSize(bytes) });
}

/** A day as each language writes it, in UTC. */
export function Day({ ms }: { readonly ms: number }) {
	return <time dateTime={new Date(ms).toISOString()}>{dayText(ms)}</time>;
}

export function dayText(ms: number): Message {
	return local((locale) => DAYS[locale].format(ms));
}

/** A number as each language writes it. */
export function numberText(value: number): Message {
	return local((locale) => new Intl.NumberFormat(locale).format(value));
}

interface Money {
	/** In the currency's smallest unit. */
	readonly amount: number;
	readonly currency: string;
}

/** An amount as people of each language write it. */
export function amountText({ amount, currency }: Money): Message {
	return local((locale) => moneyText(amount, currency, locale));
}

/** The size of a file; decimal units, as storage is sold in. */
export function fileSize(bytes: number): Message {
	const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), SIZES.length - 1);
	const value = bytes / 1_000 ** power;
	// Bytes are written out: no language shortens them in a way that all read.
	const style = { style: "unit", unit: SIZES[power] ?? "byte", unitDisplay: power === 0 ? "long" : "short" } as const;
	return local((locale) =>
		new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: value >= 100 ? 0 : 1 }).format(value),
	);
}

/** A waiting time in words. */
export function duration(seconds: number): Message {
	if (seconds < 90) return units(Math.max(1, Math.ceil(seconds)), "second");
	if (seconds < 90 * 60) return units(Math.ceil(seconds / 60), "minute");
	return units(Math.ceil(seconds / 3_600), "hour");
}

function units(value: number, unit: "second" | "minute" | "hour"): Message {
	return local((locale) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(value));
}

const SIZES = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"];
const MOMENTS = inEach(
	(locale) =>
		new Intl.DateTimeFormat(locale, {
			day: "numeric",
			month: "long",
			year: "numeric",
			hour: "2-digit",
			minute: "2-digit",
			hourCycle: "h23",
			timeZone: "UTC",
			timeZoneName: "short",
		}),
);
const DAYS = inEach(
	(locale) => new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }),
);

function inEach<Made>(make: (locale: Locale) => Made): Readonly<Record<Locale, Made>> {
	return Object.fromEntries(LOCALES.map((locale) => [locale, make(locale)])) as Record<Locale, Made>;
}

/** A time to the minute, in UTC: the service does not know the zone of whoever looks. */
export function Moment({ ms }: { readonly ms: number }) {
	return <time dateTime={new Date(ms).toISOString()}>{local((locale) => MOMENTS[locale].format(ms))}</time>;
}
