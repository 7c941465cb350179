import type { Locale } from "@svc/base/enumerations";
import { type Catalogue, format, type ValuesOf } from "@svc/base/words/messages";
import {
	createContext,
	createElement,
	Fragment,
	isValidElement,
	type ReactElement,
	type ReactNode,
	useContext,
} from "react";

/*
 * Texts of the pages. A message is an element: nobody but the page that shows it needs to know in which language, so that faults
 * and refusals carry messages as well.
 */

interface Said {
	readonly say: (locale: Locale) => ReactNode;
}

/** A text that is known in every language. It can stand wherever React takes an element. */
export type Message = ReactElement<Said, typeof Said>;
/** A text of ours, or one that a person wrote. */
export type Text = string | Message;

/** What may fill a placeholder. */
export type Shown = string | ReactElement;
/** What a tag in a message stands for, around the words between. */
export type Around = (words: ReactNode) => ReactElement;

const LocaleContext = createContext<Locale>("en");

export function InLanguage({ locale, children }: { readonly locale: Locale; readonly children: ReactNode }) {
	return createElement(LocaleContext, { value: locale }, children);
}

function Said({ say }: Said) {
	return say(useContext(LocaleContext));
}

/** A text that depends on the language in another way than by a catalogue: dates, numbers. */
export function local(say: Said["say"]): Message {
	return createElement(Said, { say }) as Message;
}

/** The messages of a catalogue, by name. */
export type PageTexts<Messages> = <Name extends keyof Messages & string>(
	name: Name,
	...values: ValuesOf<Messages[Name]>
) => Message;

export function pageTexts<Messages>(catalogue: Catalogue<keyof Messages & string>): PageTexts<Messages> {
	return (name, ...[values]) =>
		local((locale) => {
			const filled = Object.entries(values ?? {}).map(([key, value]) => [key, filling(value, locale)]);
			const text = format<ReactNode>(catalogue, locale, name, Object.fromEntries(filled));
			return typeof text === "string" ? text : createElement(Fragment, null, ...text);
		});
}

function filling(value: unknown, locale: Locale): unknown {
	if (isMessage(value)) return value.props.say(locale);
	if (typeof value !== "function") return value;
	return (words: readonly ReactNode[]) => value(createElement(Fragment, null, ...words));
}

function isMessage(value: unknown): value is Message {
	return isValidElement(value) && value.type === Said;
}

/** For attributes, and the title of a page. @throws Error for a message that holds more than text */
export function plain(text: Text, locale: Locale): string {
	const said = typeof text === "string" ? text : text.props.say(locale);
	if (typeof said !== "string") throw new Error("this message holds more than text");
	return said;
}

/** Makes texts of messages for attributes; for components. */
export function usePlain(): (text: Text) => string {
	const locale = useContext(LocaleContext);
	return (text) => plain(text, locale);
}
