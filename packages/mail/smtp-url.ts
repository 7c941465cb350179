/** A mail server, and our login there. */
export interface SmtpServer {
	readonly host: string;
	readonly port: number;
	/** TLS from the first byte; otherwise STARTTLS, where the server offers it. */
	readonly secure: boolean;
	readonly login: { readonly user: string; readonly pass: string } | undefined;
}

/** `smtp://` or `smtps://[user:password@]host[:port]`; undefined for anything else. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
	const url = URL.parse(text);
	if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return undefined;
	if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "") return undefined;
	const secure = url.protocol === "smtps:";
	const login = loginOf(url);
	if (login === "malformed") return undefined;
	return {
		host: url.hostname.replace(/^\[|\]$/g, ""),
		port: Number(url.port) || (secure ? 465 : 587),
		secure,
		login,
	};
}

function loginOf({ username, password }: URL): SmtpServer["login"] | "malformed" {
	if (username === "") return password === "" ? undefined : "malformed";
	try {
		return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
	} catch {
		return "malformed";
	}
}

export interface MailAddress {
	/** Empty: replaced by the service's own name. */
	readonly name: string;
	readonly address: string;
}

/** `address` or `Name <address>`; undefined for anything else. */
export function parseMailAddress(text: string): MailAddress | undefined {
	const [, name = "", address = ""] = /^(?:([^<>]*)<([^<>]+)>)$/.exec(text.trim()) ?? [text, "", text.trim()];
	return isMailAddress(address) && !/\p{Cc}/u.test(name)
		? { name: name.trim().replace(/^"(.*)"$/, "$1"), address }
		: undefined;
}

/** Whether an address can be in an envelope: one `@`, and no character that SMTP would read as something else. */
export function isMailAddress(address: string): boolean {
	return address.length <= 254 && /^[^\s\p{C}@<>()[\]\\,;:"]+@[^\s\p{C}@<>()[\]\\,;:"]+$/u.test(address);
}

export function isLoopback(host: string): boolean {
	return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
