import type { OwnPlan } from "@svc/billing/subscription";
import type { OwnConnection } from "@svc/connect/connected-user";
import { Fragment, type ReactNode } from "react";
import { Alert, Name, Notice, PostForm, pictures } from "../../kit/parts.tsx";
import { type Text, usePlain } from "../../kit/text.ts";
import { type Page, show } from "../../kit/visit.ts";
import { t as plans } from "../../plans/messages.ts";
import { t } from "../messages.ts";
import { WithdrawalBoxes } from "../withdrawal-boxes.tsx";
import { SHOWN_DAYS } from "./activity-section.tsx";

/* The pages of a person's own account. */

interface AccountProps {
	readonly email: string;
	readonly token: string;
	readonly notice: Text | undefined;
	/** The sections, each with its id. */
	readonly children: ReactNode;
}

/** What people come for stands on the first page itself; an index leads to the rest. */
export function accountPage({ children, ...head }: AccountProps): Page {
	const body = (
		<>
			<div className="stack">
				<h1>{t("account")}</h1>
				<SignedIn {...head} />
			</div>
			{children}
			<Index />
		</>
	);
	return show(t("account"), body, { wide: true });
}

interface Entry {
	readonly id: string;
	readonly title: Text;
	readonly about?: Text;
	/** What stands on it, in place of a sentence: each has its own page as well. */
	readonly parts?: readonly { readonly id: string; readonly title: Text }[];
	/** The id by which older links find it on this page. */
	readonly anchor?: string;
}

const INDEX: readonly Entry[] = [
	{ id: "plans", title: plans("all"), about: plans("lead") },
	{
		id: "security",
		title: t("security"),
		parts: [
			{ id: "sessions", title: t("sessions") },
			{ id: "passkeys", title: t("passkeys") },
			{ id: "address", title: t("address") },
		],
	},
	{ id: "activity", title: t("activity"), about: t("activity.about", { days: SHOWN_DAYS }) },
	{ id: "language", title: t("language"), about: t("language.about") },
	{ id: "export", title: t("export"), about: t("export.short") },
	{ id: "developer", title: t("developer"), about: t("developer.about"), anchor: "tokens" },
	{ id: "delete", title: t("delete"), about: t("delete.about") },
];

function Index() {
	return (
		<nav className="card" aria-label={usePlain()(t("index"))}>
			<ul className="rows">
				{INDEX.map(({ id, title, about, parts = [], anchor = id }) => (
					<li key={id} id={anchor}>
						<div className="what">
							<a className="door" href={`/account/${id}`}>
								{title}
							</a>
							<p>
								{about}
								{parts.map((part, place) => (
									<Fragment key={part.id}>
										{place > 0 && " · "}
										<a id={part.id} href={`/account/${part.id}`}>
											{part.title}
										</a>
									</Fragment>
								))}
							</p>
						</div>
					</li>
				))}
			</ul>
		</nav>
	);
}

/** One section on a page of its own. */
export function sectionPage(
	title: Text,
	{ children, ...head }: AccountProps,
	options: Partial<Pick<Page, "status" | "headers" | "passkeys">> = {},
): Page {
	const body = (
		<>
			<div className="stack">
				<p className="small">
					<a className="back" href="/account">
						← {t("account")}
					</a>
				</p>
				<h1>{title}</h1>
				<SignedIn {...head} />
			</div>
			<div className="alone">{children}</div>
		</>
	);
	return show(title, body, { wide: true, ...options });
}

function SignedIn({ email, token, notice }: Omit<AccountProps, "children">) {
	return (
		<>
			<div className="others">
				<p className="soft">{t("signed_in", { email: <Name>{email}</Name> })}</p>
				<PostForm action="/account/sign-out" token={token}>
					<button className="plain" type="submit">
						{t("sign_out")}
					</button>
				</PostForm>
			</div>
			{notice && <Notice answers>{notice}</Notice>}
		</>
	);
}

interface DisconnectProps {
	readonly connection: OwnConnection;
	/** What can still be withdrawn from. */
	readonly withdrawable: readonly OwnPlan[];
	readonly email: string;
	readonly token: string;
}

export function disconnectPage({
	connection: { app, images, bytes },
	withdrawable,
	email,
	token,
}: DisconnectProps): Page {
	const body = (
		<div className="card">
			<div className="stack">
				<h1>{t("disconnect.ask", { app: <bdi>{app.name}</bdi> })}</h1>
				<p className="soft">{t("signed_in", { email: <Name>{email}</Name> })}</p>
			</div>
			<Alert>
				{images === 0 ? t("disconnect.empty") : t("disconnect.kept", { pictures: pictures(images, bytes) })}
			</Alert>
			<p className="soft">{t("disconnect.about", { app: <Name>{app.name}</Name> })}</p>
			<PostForm action={`/account/apps/${app.id}/disconnect`} token={token}>
				<WithdrawalBoxes plans={withdrawable} />
				<div className="actions">
					<button className="final" type="submit">
						{t("disconnect.do", { images })}
					</button>
					<a className="button quiet" href="/account">
						{t("disconnect.stay")}
					</a>
				</div>
			</PostForm>
		</div>
	);
	return show(t("disconnect", { app: app.name }), body);
}
