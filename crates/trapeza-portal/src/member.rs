//! The members of the organisation and its invitations.

use crate::portal_request::PortalRequest;
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_app::organisation::{InvitationRecord, PortalMember};
use trapeza_domain::field::Field;
use trapeza_domain::id::{InvitationId, MemberId};
use trapeza_domain::organisation::{Member, MemberRole};
use trapeza_domain::refusal::Refusal;
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table, format_time, is_form_error};

const PATH: &str = "/portal/members";

pub async fn list(request: &PortalRequest) -> PageResult {
    Ok(page(request, invite_form(request), Vec::new()).await?.ok(request))
}

pub async fn invite(request: &PortalRequest) -> PageResult {
    let invited = async {
        let role = parse_role(request)?;
        request.app().member_invite(request.signed_in()?, request.web.field("email"), role).await
    };
    match invited.await {
        Ok(invitation) => {
            let link =
                format!("{}/portal/sign-up?invitation={}", request.public_url(), invitation.token.expose());
            let done = vec![
                Block::Good(format!(
                    "{} is invited with the role {}. Send this link, which works once and until {}.",
                    invitation.email.as_str(),
                    invitation.role.name(),
                    format_time(invitation.expires_at)
                )),
                Block::Secrets(vec![("Link, shown only now".to_owned(), link)]),
            ];
            Ok(page(request, invite_form(request), done).await?.ok(request))
        }
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let names = [(Field::Email, "email"), (Field::MemberRole, "role")];
            let form = invite_form(request).filled(&request.web).refused(&refusal, &names);
            Ok(page(request, form, Vec::new()).await?.respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

pub async fn invitation_revoke(request: &PortalRequest) -> PageResult {
    let invitation = request.id("invitation", InvitationId::parse)?;
    request.app().invitation_revoke(request.signed_in()?, invitation).await?;
    Ok(redirect(PATH))
}

pub async fn role_change(request: &PortalRequest) -> PageResult {
    let member = request.id("member", MemberId::parse)?;
    request.app().member_role_change(request.signed_in()?, member, parse_role(request)?).await?;
    Ok(redirect(PATH))
}

pub async fn remove(request: &PortalRequest) -> PageResult {
    let member = request.id("member", MemberId::parse)?;
    request.app().member_remove(request.signed_in()?, member).await?;
    Ok(redirect(PATH))
}

fn parse_role(request: &PortalRequest) -> Result<MemberRole, Refusal> {
    let text = "must be owner, developer or viewer";
    MemberRole::parse(request.web.field("role")).ok_or_else(|| Refusal::malformed(Field::MemberRole, text))
}

async fn page(request: &PortalRequest, form: Form, first: Vec<Block>) -> Result<Page, UseCaseError> {
    let caller = request.signed_in()?;
    let is_owner = caller.member.role == MemberRole::Owner;
    let view = request.app().organisation_view(caller).await?;
    let members = Table {
        label: "Members".to_owned(),
        head: if is_owner {
            vec!["Name", "E-mail address", "Role", "Action"]
        } else {
            vec!["Name", "E-mail address", "Role"]
        },
        rows: view.members.iter().map(|member| member_row(request, caller, member)).collect(),
        empty: "",
    };
    let page = Page::new("Members").with_all(first).with(Block::Table(members));
    if !is_owner {
        return Ok(page);
    }
    let invitations = Table {
        label: "Open invitations".to_owned(),
        head: vec!["E-mail address", "Role", "Until", "Action"],
        rows: view.invitations.iter().map(|invitation| invitation_row(request, invitation)).collect(),
        empty: "There are no open invitations.",
    };
    Ok(page
        .with(Block::heading("Invite a member"))
        .with(Block::form(form))
        .with(Block::heading("Open invitations"))
        .with(Block::Table(invitations)))
}

fn member_row(request: &PortalRequest, caller: &PortalMember, member: &Member) -> Vec<Cell> {
    let mut row =
        vec![Cell::text(&member.name), Cell::text(member.email.as_str()), Cell::text(member.role.name())];
    if caller.member.role == MemberRole::Owner {
        let (role, remove) = (format!("{PATH}/{}/role", member.id), format!("{PATH}/{}/remove", member.id));
        let choice = Input::choice("role", &format!("Role of {}", member.name), roles());
        let choice = choice.value(member.role.name()).id(format!("role-{}", member.id));
        row.push(Cell::Forms(vec![
            Form::new(&request.web, &role, "Change").field(choice).class("plain"),
            Form::new(&request.web, &remove, "Remove").class("no"),
        ]));
    }
    row
}

fn invitation_row(request: &PortalRequest, invitation: &InvitationRecord) -> Vec<Cell> {
    let revoke = format!("{PATH}/invitations/{}/revoke", invitation.id);
    vec![
        Cell::text(invitation.email.as_str()),
        Cell::text(invitation.role.name()),
        Cell::text(format_time(invitation.expires_at)),
        Cell::Forms(vec![Form::new(&request.web, &revoke, "Revoke").class("no")]),
    ]
}

fn invite_form(request: &PortalRequest) -> Form {
    Form::new(&request.web, "/portal/members/invite", "Create an invitation")
        .field(Input::email("email", "E-mail address"))
        .field(Input::choice("role", "Role", roles()).value(MemberRole::Developer.name()))
}

fn roles() -> Vec<(&'static str, String)> {
    let meaning = |role| match role {
        MemberRole::Owner => "owner: everything",
        MemberRole::Developer => "developer: changes applications",
        MemberRole::Viewer => "viewer: reads only",
    };
    MemberRole::ALL.iter().map(|role| (role.name(), meaning(*role).to_owned())).collect()
}
