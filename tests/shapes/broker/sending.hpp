// sending: what a send of a session does to its queue.
#pragma once

#include "session.hpp"

namespace mqb::shapes::broker {

// The answer, with an outcome for each message; none: the connection breaks instead.
std::optional<std::string> carry_out_send(session& from, std::string_view frame, fault broken);
// The answer to a send that was cancelled before it was carried out: everything is unsent.
std::string refuse_send(session& from, std::string_view frame);

}  // namespace mqb::shapes::broker
