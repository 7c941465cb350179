import type { ConnectedUser } from "@svc/sdk/shapes";
import { Day, fileSize, numberText } from "../../kit/parts.tsx";
import { usePlain } from "../../kit/text.ts";
import type { Page } from "../../kit/visit.ts";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { Pager } from "../kit/pager.tsx";
import type { ConsoleVisit, Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { AccessText, LastUse } from "./access.tsx";

/* The people who are connected to an App. */

export const usersScreen: Screen = { path: "/:app/users", get: showUsers };

async function showUsers(visit: ConsoleVisit): Promise<Page> {
	const { app: id = "" } = visit.params;
	const { searchParams } = visit.url;
	const email = searchParams.get("email")?.trim() || undefined;
	const cursor = searchParams.get("cursor") ?? undefined;
	const [app, { data, pagination }] = await Promise.all([
		visit.api.apps.get(id),
		visit.api.apps.of(id).users.list({ cursor, ...(email !== undefined && { email }) }),
	]);
	const here = `/console/${app.id}/users`;
	const isEmpty = data.length === 0 && email === undefined && cursor === undefined;
	const children = (
		<>
			{!isEmpty && <Search here={here} email={email} />}
			{data.length > 0 && <Table here={here} users={data} />}
			{data.length === 0 && <p className="empty soft">{t(isEmpty ? "users.none" : "users.none.filter")}</p>}
			<Pager visit={visit} next={pagination.next_cursor} />
		</>
	);
	return screenPage(visit, { title: t("users"), app, screen: "users", children });
}

function Search({ here, email }: { readonly here: string; readonly email: string | undefined }) {
	const label = usePlain()(t("users.email"));
	return (
		<search>
			<form className="search narrow" method="get" action={here}>
				<input type="search" name="email" data-keys="/" defaultValue={email} aria-label={label} placeholder={label} />
				<button className="quiet" type="submit">
					{t("search")}
				</button>
			</form>
		</search>
	);
}

function Table({ here, users }: { readonly here: string; readonly users: readonly ConnectedUser[] }) {
	const lines = users.map((user) => ({
		id: user.id,
		cells: [
			<a key="who" href={`${here}/${user.id}`}>
				<bdi>{user.email}</bdi>
			</a>,
			numberText(user.images),
			fileSize(user.bytes),
			<AccessText key="access" of={user} />,
			<LastUse key="use" of={user} />,
			<Day key="since" ms={Date.parse(user.created_at)} />,
		],
	}));
	const columns = [t("users.email"), t("images"), t("size"), t("users.access"), t("users.used"), t("users.since")];
	return <Lines caption={t("users")} columns={columns} numbers={[1, 2]} lines={lines} />;
}
