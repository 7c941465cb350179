import type { OwnPlan } from "@svc/billing/subscription";
import type { OwnConnection, OwnStorage } from "@svc/connect/connected-user";
import { Alert, Field, PostForm, pictures, strong } from "../../kit/parts.tsx";
import type { Message, Text } from "../../kit/text.ts";
import { type Page, show } from "../../kit/visit.ts";
import { t } from "../messages.ts";
import { WithdrawalBoxes } from "../withdrawal-boxes.tsx";

/* Deleting one's own account. */

interface DeleteProps {
	readonly email: string;
	readonly token: string;
	readonly connections: readonly OwnConnection[];
	/** Undefined where people have no storage of their own. */
	readonly own: OwnStorage | undefined;
	/** What can still be withdrawn from. */
	readonly withdrawable: readonly OwnPlan[];
	readonly fault?: Text | undefined;
	/** Why the account cannot be deleted at present. */
	readonly obstacle?: Text | undefined;
	readonly status?: number;
}

export function deletePage(props: DeleteProps): Page {
	const { email, token, connections, own, withdrawable, fault, obstacle, status = 200 } = props;
	const body = (
		<div className="card">
			<h1>{t("delete.ask")}</h1>
			{obstacle && <Alert answers>{obstacle}</Alert>}
			<p>{leaving(connections)}</p>
			{own && <p>{t("delete.own", { pictures: pictures(own.images, own.bytes) })}</p>}
			<p>{t("delete.copy", { a: (words) => <a href="/account/export">{words}</a> })}</p>
			<PostForm action="/account/delete" token={token}>
				<Field
					name="email"
					label={t("delete.confirm")}
					hint={<bdi>{email}</bdi>}
					fault={fault}
					input={{ type: "email", autoComplete: "off", autoCapitalize: "none", maxLength: 254, required: true }}
				/>
				<WithdrawalBoxes plans={withdrawable} />
				<div className="actions">
					<button className="final" type="submit">
						{t("delete.do")}
					</button>
					<a className="button quiet" href="/account">
						{t("delete.keep")}
					</a>
				</div>
			</PostForm>
		</div>
	);
	return show(t("delete"), body, { status });
}

function leaving(connections: readonly OwnConnection[]): Message {
	const apps = connections.length;
	const images = connections.reduce((sum, connection) => sum + connection.images, 0);
	const bytes = connections.reduce((sum, connection) => sum + connection.bytes, 0);
	if (apps === 0) return t("delete.none", { strong });
	if (images === 0) return t("delete.empty", { apps, strong });
	return t("delete.kept", { apps, pictures: pictures(images, bytes), strong });
}

export function deletedPage(): Page {
	const body = (
		<div className="card">
			<h1>{t("deleted")}</h1>
			<p>{t("deleted.text")}</p>
		</div>
	);
	return show(t("deleted"), body);
}
