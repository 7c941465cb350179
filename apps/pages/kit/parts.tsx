import type { ReactNode } from "react";
import { TOKEN_FIELD } from "./form.ts";

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
	readonly label: string;
	readonly hint?: ReactNode;
	/** The fault of the value that was sent: then the field has the focus. */
	readonly fault?: string | undefined;
	/** Ids of what else the page says about it, read out before the hint. */
	readonly about?: readonly string[];
	/** The attributes of the input itself. */
	readonly input: Omit<React.ComponentProps<"input">, "id" | "name">;
}

export function Field({ name, label, hint, fault, about = [], input }: FieldProps) {
	const described = [fault && `${name}-fault`, ...about, hint && `${name}-hint`].filter(Boolean).join(" ");
	return (
		<div className="field">
			<label htmlFor={name}>{label}</label>
			{hint && (
				<span className="hint" id={`${name}-hint`}>
					{hint}
				</span>
			)}
			<input
				id={name}
				name={name}
				aria-describedby={described || undefined}
				aria-invalid={fault ? true : undefined}
				{...(fault && { autoFocus: true })}
				{...input}
			/>
			{fault && (
				<span className="fault" id={`${name}-fault`} role="alert">
					{fault}
				</span>
			)}
		</div>
	);
}

const COUNT = new Intl.NumberFormat("en");

export function count(number: number, one: string, many = `${one}s`): string {
	return `${COUNT.format(number)} ${number === 1 ? one : many}`;
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB", "PB"];

/** Decimal units, as storage is sold in. */
export function size(bytes: number): string {
	if (bytes < 1_000) return count(bytes, "byte");
	const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
	const value = bytes / 1_000 ** power;
	return `${value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${UNITS[power]}`;
}

/** How many images there are, and how many bytes. */
export function pictures(images: number, bytes: number): string {
	return images === 0 ? "no pictures" : `${count(images, "picture")}, ${size(bytes)}`;
}

const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

export function Day({ ms }: { readonly ms: number }) {
	return <time dateTime={new Date(ms).toISOString()}>{DAY.format(ms)}</time>;
}

/** A waiting time in words. */
export function wait(seconds: number): string {
	if (seconds < 90) return count(Math.max(1, Math.ceil(seconds)), "second");
	if (seconds < 90 * 60) return count(Math.ceil(seconds / 60), "minute");
	return count(Math.ceil(seconds / 3_600), "hour");
}
