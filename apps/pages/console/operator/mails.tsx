import type { Email } from "@svc/sdk/shapes";
import { missing } from "../../kit/layout.tsx";
import { Moment } from "../../kit/parts.tsx";
import type { Page } from "../../kit/visit.ts";
import { screenPage } from "../kit/frame.tsx";
import { Pager } from "../kit/pager.tsx";
import type { ConsoleVisit, Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";

/* The mails that a service in test mode would have sent, for its operators: nobody needs a terminal to finish a sign-in. */

export const mailsScreen: Screen = { path: "/operator/mails", get: showMails };

const PAGE_SIZE = 20;

/** @throws Refusal 404 for everybody else, and where mails are sent */
async function showMails(visit: ConsoleVisit): Promise<Page> {
	if (!visit.readsMails) throw missing();
	const { searchParams } = visit.url;
	const recipient = searchParams.get("recipient");
	const { data, pagination } = await visit.api.operator.emails.list({
		limit: PAGE_SIZE,
		cursor: searchParams.get("cursor") ?? undefined,
		...(recipient && { recipient }),
	});
	const children = (
		<>
			<p className="soft">{t("mails.about")}</p>
			{data.length === 0 && <p className="empty soft">{t("mails.none")}</p>}
			{data.map((mail) => (
				<Mail key={mail.id} mail={mail} web={visit.addresses.web} />
			))}
			<Pager visit={visit} next={pagination.next_cursor} />
		</>
	);
	const page = screenPage(visit, { title: t("mails"), operator: "mails", children });
	// Codes stand beside names that strangers chose; the size of a compressed answer would tell of them.
	return { ...page, headers: { "Cache-Control": "no-store, no-transform" } };
}

const CODE = /^\d{3} ?\d{3}$/;
/** Addresses, kept apart from the words between them. */
const ADDRESSES = /(https?:\/\/\S+)/;

function Mail({
	mail: { id, subject, recipient, text, created_at },
	web,
}: {
	readonly mail: Email;
	readonly web: string;
}) {
	const code = text.split("\n").find((line) => CODE.test(line));
	return (
		<article className="card narrow mail" aria-labelledby={id}>
			<h2 id={id}>
				<bdi>{subject}</bdi>
			</h2>
			<p className="soft">
				<bdi>{recipient}</bdi> · <Moment ms={Date.parse(created_at)} />
			</p>
			{code !== undefined && <code className="secret">{code}</code>}
			<p className="words">
				{text.split(ADDRESSES).map((part, place) => (
					<Words key={place.toString()} web={web}>
						{part}
					</Words>
				))}
			</p>
		</article>
	);
}

/** Only addresses of our own pages are links: others were written by people. */
function Words({ web, children }: { readonly web: string; readonly children: string }) {
	return children.startsWith(`${web}/`) ? <a href={children}>{children}</a> : children;
}
