import type { OwnPlan } from "@svc/billing/payers/own-plans";
import type { OwnConnection } from "@svc/connect/users";
import type { ReactNode } from "react";
import { Alert, Name, Notice, PostForm, pictures } from "../kit/parts.tsx";
import type { Text } from "../kit/text.ts";
import { type Page, show } from "../kit/visit.ts";
import { t } from "./messages.ts";
import { type Section, SectionCard } from "./sections.tsx";
import { WithdrawalBoxes } from "./withdrawal-boxes.tsx";

/* The pages of a person's own account. */

interface AccountProps {
	readonly email: string;
	readonly token: string;
	readonly notice: Text | undefined;
	/** The sections, each with its id. */
	readonly children: ReactNode;
}

export function accountPage({ children, ...head }: AccountProps): Page {
	const body = (
		<>
			<div className="stack">
				<h1>{t("account")}</h1>
				<SignedIn {...head} />
			</div>
			{children}
		</>
	);
	return show(t("account"), body, { wide: true, passkeys: true });
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

export const deleteSection: Section = {
	id: "delete",
	title: t("delete"),
	elsewhere: true,
	show: async () => (
		<SectionCard id="delete" title={t("delete")}>
			<p className="soft">{t("delete.about")}</p>
			<p>
				<a className="button danger slim" href="/account/delete">
					{t("delete.open")}
				</a>
			</p>
		</SectionCard>
	),
};

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
