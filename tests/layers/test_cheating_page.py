"""Each line of docs/cheating.md is held by tests: what is said to be noticed is tried, and what
nobody is said to notice is done."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

_ATTACKS, _HOSTILE = "audit/test_attacks.py", "clients/test_hostile.py"
_ACTING, _DECLINED = "serve/games/test_actrequests.py", "serve/games/test_declined.py"
_SEAT_KEYS, _WITNESSES = "serve/games/test_seat_keys.py", "serve/games/test_witnesses.py"
_NOBODY = "audit/test_what_nobody_sees.py"
_DESK = "audit/test_forged_desk.py"
_CUP = "tournaments/test_composed.py"
_LOTS = "tournaments/test_lots_of_all.py"

HELD: dict[str, tuple[str, ...]] = {
    # the operator
    "Rewrite what has been played": (
        f"{_ATTACKS}::test_the_end_of_a_game_cannot_be_forged_from_what_its_end_tells",
        f"{_ATTACKS}::test_a_genuine_beginning_with_an_early_head_is_not_sound",
        "audit/test_forgeries.py::test_history_rewritten_by_the_operator_fails_against_a_receipt",
    ),
    "Cut off what was played last": (
        f"{_DESK}::test_a_game_cut_short_and_ended_by_a_ruling_is_told_and_contradicted",
        f"{_DESK}::test_a_loss_on_time_is_told",
    ),
    "Write a move other than the one a player sent": (
        f"{_ATTACKS}::test_other_picks_than_were_sent_are_found",
        f"{_HOSTILE}::test_other_picks_than_were_sent_are_found_out",
        f"{_HOSTILE}::test_a_resignation_that_nobody_signed_is_found_out",
    ),
    "Write a seat's nonce in the player's place": (
        f"{_HOSTILE}::test_a_server_that_takes_the_seat_by_itself_gets_no_nonce",
        f"{_HOSTILE}::test_a_server_that_changes_the_committed_nonce_is_found_out",
    ),
    "Suppress the nonces": (
        f"{_HOSTILE}::test_a_second_genesis_of_the_same_id_gets_no_nonce",
        f"{_ATTACKS}::test_a_genesis_made_anew_is_found_by_the_head_of_the_first",
    ),
    "Draw from a later turn's seed": (
        f"{_ATTACKS}::test_dice_of_a_later_epoch_with_its_link_opened_early_are_found",
        f"{_ATTACKS}::test_a_die_of_the_next_epoch_without_a_turn_ending_is_found",
        f"{_HOSTILE}::test_a_die_from_a_later_epoch_is_found_out",
    ),
    "Let a game lapse": (
        f"{_NOBODY}::test_a_lapse_tells_whose_nonce_is_missing_and_nothing_else",
        f"{_HOSTILE}::test_a_lapse_after_the_nonce_was_shown_is_kept_and_counted",
    ),
    "Look at future dice": (
        f"{_NOBODY}::test_the_operator_knows_dice_to_come",
        f"{_NOBODY}::test_the_operator_reads_what_a_seat_hides",
    ),
    "Begin a game of people as one in which a program plays": (
        "clients/test_hostile_server.py::test_a_game_in_which_a_program_plays_every_seat_is_not_sat_down_in",
    ),
    "Show a player one move under the name of another": (
        "clients/test_speech.py::test_a_pick_with_a_name_is_never_shown_as_another",
        "clients/test_hostile_server.py::test_a_question_that_the_log_does_not_ask_is_found_out",
    ),
    "Refuse a move and write it into the log later": (
        f"{_HOSTILE}::test_an_act_that_was_refused_and_stands_later_is_found_out",
        f"{_ATTACKS}::test_an_act_refused_under_signature_that_stands_is_found",
    ),
    "Show two people different histories": (
        f"{_ATTACKS}::test_two_heads_for_one_record_prove_a_fork_and_both_are_named",
        f"{_HOSTILE}::test_a_fork_is_found_out",
    ),
    "Drop records after they were acknowledged": (
        f"{_HOSTILE}::test_nothing_is_signed_on_a_log_that_lost_records",
    ),
    "Take a seat": (f"{_NOBODY}::test_the_operator_sits_at_a_seat",),
    "Hand a seat to somebody else": (
        f"{_ATTACKS}::test_a_game_handed_over_has_a_reservation_unless_the_seat_signed_it",
        f"{_SEAT_KEYS}::test_a_seat_that_is_handed_over",
    ),
    "Use a standing answer that was never given": (
        f"{_HOSTILE}::test_an_answer_that_the_standing_orders_do_not_hold_is_found_out",
        "audit/test_forged_acts.py::test_a_forgery_is_found",
        f"{_SEAT_KEYS}::test_orders_for_a_turn_end_with_it_and_only_the_newest_count",
    ),
    "Give a later standing answer": (
        "audit/test_standing.py::test_an_answer_that_is_not_due_is_found_by_the_rules",
    ),
    "Let a standing answer lie unused": (
        "audit/test_standing.py::test_the_answer_that_is_due_is_sound",
    ),
    "Play with different rules": (
        "audit/test_verdict.py::test_a_pack_and_options_of_ones_own_stand_in_the_verdict",
        "audit/test_forgeries.py::test_other_rules_are_said_and_decided_all_the_same",
        "audit/test_forgeries.py::test_a_doctored_event_is_found_by_deciding_again",
    ),
    "Set the clock": (f"{_NOBODY}::test_times_are_the_servers_word",),
    "Change to another key": (
        f"{_HOSTILE}::test_a_server_whose_key_has_changed_is_not_sat_down_with",
        f"{_HOSTILE}::test_a_rotated_key_is_followed_and_one_not_rotated_to_is_refused",
        f"{_ATTACKS}::test_devices_and_a_new_key_of_the_server_are_sound",
    ),
    "Claim that the server was down": (f"{_DESK}::test_outages_are_told",),
    "Write only half of what belongs together": (
        f"{_DESK}::test_a_file_that_ends_half_way_has_a_reservation_that_nothing_allows",
        "kernel/test_rulings.py::test_a_remedy_that_nobody_ruled_is_found_and_one_that_was_left_out",
    ),
    "Stop a game": (
        f"{_HOSTILE}::test_a_refusal_withheld_keeps_the_client_from_signing_anything_else",
    ),
    "Act for an account": (
        f"{_ACTING}::test_a_key_that_is_not_the_seats",
        "serve/people/test_accounts.py::test_a_link_signs_in_once_within_its_time",
    ),
    "Serve a page that signs what the operator likes": (
        f"{_HOSTILE}::test_a_served_script_that_signs_other_picks_is_found_out_by_nobody",
    ),
    # a player
    "Close a turn, take it back": (
        "kernel/test_links.py::test_the_dice_cannot_be_chosen_by_closing_and_taking_back",
        "kernel/test_links.py::test_closing_a_turn_is_news",
    ),
    "Deny a move": (
        "audit/test_verdict.py::test_how_far_each_seat_signed_and_the_table_code",
        f"{_ATTACKS}::test_the_game_itself_is_sound",
    ),
    "Act for the other seat with its token alone": (
        f"{_ACTING}::test_what_nobody_of_the_seat_signed_is_no_act",
        f"{_ACTING}::test_a_key_that_is_not_the_seats",
    ),
    "Send an old act again": (
        f"{_ACTING}::test_numbers_and_what_was_seen_only_go_on",
        f"{_ACTING}::test_who_asks_or_answers_has_seen_what_it_is_about",
    ),
    "Choose a nonce after seeing the other's": (
        f"{_DECLINED}::test_an_early_nonce_or_order_stays_declined",
        f"{_NOBODY}::test_a_lapse_tells_whose_nonce_is_missing_and_nothing_else",
    ),
    "Take a copy of the other seat's key": (
        f"{_SEAT_KEYS}::test_a_seat_is_not_taken_with_a_key_that_is_somebody_elses",
        f"{_SEAT_KEYS}::test_keys_that_no_device_may_have",
    ),
    "Show a file that was cut short": (
        "audit/test_forgeries.py::test_every_byte_counts",
        "audit/test_forgeries.py::test_a_file_cut_short_is_found",
    ),
    "Frame an honest operator": (
        "audit/test_forgeries.py::test_a_receipt_that_no_key_signed_frames_nobody",
        f"{_DECLINED}::test_a_declined_act_never_stands_although_its_reason_passes",
    ),
    "Fill the disk or keep the server busy": (
        "serve/games/test_changelimits.py::test_a_games_file_stays_of_the_size_of_the_game",
        "serve/wire/test_ratelimits.py::test_a_seats_takebacks_are_dealt_out_too",
        f"{_SEAT_KEYS}::test_what_nothing_bounds_comes_only_so_often",
        "serve/wire/test_hostile_client.py::test_one_player_does_not_fill_the_mailbox",
    ),
    # in league
    "Operator and one player": (
        f"{_NOBODY}::test_the_operator_knows_dice_to_come",
        f"{_NOBODY}::test_the_operator_reads_what_a_seat_hides",
    ),
    "Both players": (f"{_NOBODY}::test_two_players_agree_on_a_result",),
    "Operator and both players": (
        f"{_NOBODY}::test_whoever_holds_every_key_writes_what_they_like",
        "audit/test_forgeries.py::test_history_rewritten_by_the_operator_fails_against_a_receipt",
    ),
    # a tournament
    "Change a result": ("tournaments/test_audit.py::test_a_host_who_cheats_is_named",),
    "Rewrite a finished tournament": (
        f"{_CUP}::test_heads_and_receipts_beyond_the_last_record_are_findings",
        "tournaments/test_audit.py::test_whoever_changes_a_file_without_the_key_is_told_from_a_host",
    ),
    "Exchange the file of a game": (
        "tournaments/test_desk.py::test_games_are_those_that_were_reported",
    ),
    "Play a game first": (
        "tournaments/test_desk.py::test_a_host_with_games_of_their_own_is_named",
    ),
    "Play a board with another pack": (
        f"{_CUP}::test_a_game_that_is_not_the_charters_is_named",
        "tournaments/test_desk.py::test_a_release_with_another_pack_is_told_before_a_game_is_opened",
    ),
    "Let somebody stronger": (
        f"{_CUP}::test_a_game_that_is_not_the_charters_is_named",
        "serve/tournaments/test_tournaments.py::test_a_seat_is_taken_under_the_name_of_its_entrant_alone",
    ),
    "Give an entrant the seat": (
        f"{_CUP}::test_a_game_that_is_not_the_charters_is_named",
        "clients/test_entrants.py::test_nobody_sits_down_in_a_seat_that_is_anothers",
    ),
    "Report another result": (
        "tournaments/test_desk.py::test_a_host_with_games_of_their_own_is_named",
        f"{_CUP}::test_a_made_up_end_of_a_game_is_a_finding",
        f"{_CUP}::test_a_report_that_was_there_before_its_game_was_over_is_a_finding",
    ),
    "Write a result by hand": (f"{_CUP}::test_results_without_a_game_are_told",),
    "Have somebody rule in a game": (
        f"{_CUP}::test_a_ruling_by_somebody_who_is_no_official_is_told",
    ),
    "Fill boards": (f"{_CUP}::test_an_honest_tournament_is_told_in_few_words",),
    "Have a game rated": (
        f"{_CUP}::test_a_server_rates_nothing_that_is_not_sound",
        "tournaments/test_ratingslog.py::test_what_is_not_rated_is_said",
    ),
    "Offer two files": (f"{_CUP}::test_stray_files_are_noted",),
    # arbiter, caster, spectator
    "Arbiter": ("serve/people/test_roles.py::test_an_arbiter_sees_everything_and_does_nothing",),
    "Anybody": (
        "serve/tournaments/test_tournament_people.py::test_who_changes_their_handle_stays_the_same",
        "serve/tournaments/test_tournament_people.py::test_a_forgotten_account_leaves_its_id_behind",
        "tournaments/test_persons.py::test_an_id_that_differs_in_one_byte_is_nobody",
        "tournaments/test_ratingslog.py::test_players_are_known_by_id_and_else_by_name",
    ),
    "Arbiter against whom somebody appeals": (
        "serve/people/test_identities.py::test_an_arbiters_token_is_one_person_whoever_shows_it",
        "kernel/test_rulings.py::test_an_appeal_is_heard_by_somebody_else_whose_ruling_replaces_the_first",
    ),
    "Player": (
        "kernel/test_rulings.py::test_two_players_of_one_name_are_two_people",
        "serve/people/test_identities.py::test_an_act_names_the_account_that_it_is_signed_in_to",
    ),
    "Player who arbitrates": (
        f"{_DESK}::test_what_stands_is_sound_for_both_auditors",
        f"{_DESK}::test_what_does_not_stand_is_named_at_its_record",
        "serve/games/test_rulings.py::test_nobody_but_an_arbiter_rules_and_no_player_does",
    ),
    "Ruling arbiter": (
        "serve/games/test_rulings.py::test_a_claim_is_heard_frozen_ruled_on_and_the_game_goes_on",
    ),
    "Server that rules": (
        "kernel/test_rulings.py::test_a_server_that_rules_on_its_own_game_is_named_at_the_record",
        "kernel/test_rulings.py::test_a_correction_past_the_rules_is_found_where_commands_are_decided_again",
    ),
    "Caster": ("audience/test_casters.py::test_a_caster_gets_nothing_early_through_any_exit",),
    "Spectator": (
        f"{_WITNESSES}::test_a_delay_binds_witnesses_and_heads",
        "serve/games/test_watching.py::test_a_spectators_delay_binds_every_exit",
    ),
    # thieves
    "The server's disk": (
        f"{_ATTACKS}::test_two_heads_for_one_record_prove_a_fork_and_both_are_named",
        f"{_ATTACKS}::test_a_thief_of_the_key_that_the_server_left_signs_nothing_that_counts",
    ),
    "A player's disk": (
        f"{_HOSTILE}::test_an_act_under_the_own_key_that_this_client_never_signed_is_found_out",
        f"{_SEAT_KEYS}::test_a_further_device_acts_for_its_seat",
    ),
    "A seat's token": (
        "serve/games/test_watching.py::test_a_replaced_token_closes_the_seats_stream_at_once",
        f"{_ACTING}::test_a_key_that_is_not_the_seats",
        f"{_ACTING}::test_what_nobody_of_the_seat_signed_is_no_act",
    ),
    "An account's password": (
        f"{_ACTING}::test_a_key_that_is_not_the_seats",
        "serve/people/test_accounts.py::test_another_password_signs_the_other_devices_out",
    ),
    "A finished game's file": (f"{_NOBODY}::test_a_file_holds_no_key",),
    # what remains in whose power
    "Dice · a player": (f"{_NOBODY}::test_a_lapse_tells_whose_nonce_is_missing_and_nothing_else",),
    "Dice · both players": (
        "audit/test_forged_games.py::test_what_is_rare_is_sound",
        "kernel/test_links.py::test_the_dice_cannot_be_chosen_by_closing_and_taking_back",
    ),
    "Dice · the operator": (
        f"{_NOBODY}::test_the_operator_knows_dice_to_come",
        f"{_HOSTILE}::test_a_lapse_after_the_nonce_was_shown_is_kept_and_counted",
    ),
    "Dice · an arbiter": (
        "kernel/test_rulings.py::test_e19_taken_back_by_a_ruling_everything_is_as_it_was_and_asked_anew",
    ),
    "Dice and ends · whoever made the pack": (
        "audit/test_verdict.py::test_a_pack_and_options_of_ones_own_stand_in_the_verdict",
    ),
    "Hidden information · the operator": (f"{_NOBODY}::test_the_operator_reads_what_a_seat_hides",),
    "Hidden information · an arbiter": (
        "kernel/test_rulings.py::test_what_an_arbiter_looked_at_is_a_record",
        "serve/people/test_roles.py::test_an_arbiter_sees_everything_and_does_nothing",
    ),
    "Clocks · a player": (
        "kernel/test_rulings.py::test_a_seat_stops_the_clocks_three_times_and_no_more",
        "serve/games/test_clocks.py::test_leave_and_time_for_a_fallen_seat_go_through_the_server",
    ),
    "Clocks · both players": (
        "serve/games/test_clocks.py::test_a_pause_holds_the_board_and_what_was_left_for_its_end",
    ),
    "Clocks · the operator": (
        f"{_NOBODY}::test_times_are_the_servers_word",
        f"{_DESK}::test_outages_are_told",
    ),
    "Clocks · an arbiter": (
        "kernel/test_rulings.py::test_time_that_a_ruling_gives_and_takes_is_in_the_log",
    ),
    "Ends · a player": (f"{_HOSTILE}::test_a_resignation_that_nobody_signed_is_found_out",),
    "Ends · both players": (f"{_NOBODY}::test_two_players_agree_on_a_result",),
    "Ends · the operator": (
        f"{_DESK}::test_a_file_that_ends_half_way_has_a_reservation_that_nothing_allows",
        "audit/test_after_the_end.py::test_a_server_that_ends_a_game_before_its_dice_is_found",
    ),
    "Ends · an arbiter": (
        "kernel/test_rulings.py::test_a_ruling_may_end_the_game",
        "kernel/test_rulings.py::test_an_adjudication_goes_by_the_score",
    ),
    "Ends · a host": ("serve/wire/test_trouble.py::test_a_host_closes_a_game_opened_by_mistake",),
    "Order of acts · a player": (f"{_ACTING}::test_numbers_and_what_was_seen_only_go_on",),
    "Order of acts · the operator": (
        f"{_HOSTILE}::test_a_refusal_withheld_keeps_the_client_from_signing_anything_else",
        f"{_HOSTILE}::test_an_act_that_was_refused_and_stands_later_is_found_out",
    ),
    "Lots · an entrant": (f"{_LOTS}::test_all_lots_come_from_all_nonces_or_from_the_desk_alone",),
    "Lots · the desk": (
        f"{_LOTS}::test_all_lots_come_from_all_nonces_or_from_the_desk_alone",
        f"{_LOTS}::test_a_desk_that_forks_after_the_nonces_is_found_by_a_clients_receipt",
        f"{_LOTS}::test_lots_of_few_are_the_desks_and_of_some_are_told",
        f"{_LOTS}::test_who_checks_in_behind_the_roster_counts_as_there",
    ),
    "Rules of the tournament · a director": (f"{_LOTS}::test_an_amendment_is_told",),
    "Acts of others · the desk": (f"{_LOTS}::test_anybodys_act_is_the_desks_word",),
    "Lots · a director": (f"{_LOTS}::test_all_lots_come_from_all_nonces_or_from_the_desk_alone",),
    "Lots · a stranger": (f"{_LOTS}::test_a_receipt_for_a_nonce_that_the_file_lacks_is_a_finding",),
    "Pairing · a director": (
        "tournaments/test_ledger.py::test_a_round_set_by_hand_has_its_reason_in_the_log",
    ),
    "Pairing · the desk": (
        "tournaments/test_ledger.py::test_pairing_again_gives_the_same_pairs",
        "tournaments/test_audit.py::test_a_host_who_cheats_is_named",
    ),
    "Pairing · an entrant": (
        "tournaments/test_ledger.py::test_who_is_away_has_the_bye_the_charter_gives_and_who_leaves_forfeits",
    ),
    "Sides · both players": (f"{_NOBODY}::test_two_players_agree_on_a_result",),
    "Sides · the desk, an arbiter": (
        "serve/tournaments/test_tournament_attacks.py::test_nothing_that_is_sealed_is_in_anybody_elses_bytes",
        "tournaments/test_ledger.py::test_bids_are_sealed_until_both_have_bid_and_opened_together",
    ),
    "Sides · a host": ("audit/test_verdict.py::test_how_far_each_seat_signed_and_the_table_code",),
    "Ratings · both players": (f"{_NOBODY}::test_two_players_agree_on_a_result",),
    "Ratings · a host": ("tournaments/test_ratingslog.py::test_what_is_not_rated_is_said",),
    "Ratings · whoever keeps the log": (
        "tournaments/test_ratingslog.py::test_a_log_is_read_and_computed_again",
        "tournaments/test_ratingslog.py::test_a_rewritten_log_does_not_continue_the_one_that_was_kept",
    ),
}
"""How a line of the page begins, and the tests that hold it."""


@cache
def defined(path: str) -> frozenset[str]:
    """The test functions of a file."""
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def lines() -> list[str]:
    """The lines of the page's tables, without their heads."""
    page = (ROOT / "docs" / "cheating.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \|.*\|$", page, flags=re.M)
    return [
        row for row in rows if row not in ("What they could try", "Who", "Of what", "What, and who")
    ]


def test_every_line_is_held() -> None:
    """Each line of the page begins as one of those listed here, each of those once."""
    found = {
        start: [line for line in lines() if line == start or line.startswith(start)]
        for start in HELD
    }
    exact = {
        start: [line for line in found[start] if line == start] or found[start] for start in HELD
    }
    assert {start: len(met) for start, met in exact.items()} == dict.fromkeys(HELD, 1)
    assert sorted(line for met in exact.values() for line in met) == sorted(lines())


def test_every_test_is_there() -> None:
    """Each test that is named here exists."""
    named = sorted({test for tests in HELD.values() for test in tests})
    assert [
        test for test in named if test.partition("::")[2] not in defined(test.partition("::")[0])
    ] == []
