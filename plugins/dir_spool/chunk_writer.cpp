#include "chunk_writer.hpp"

#include <cerrno>

#include <fcntl.h>

namespace mqb::dir_spool {

int chunk_writer::stage(const std::string& chunk, std::string_view payload, std::string_view sidecar) {
    open_chunk one;
    one.chunk = chunk;
    const int error = write(one, payload, sidecar);
    if (error != 0)
        take_back(one);
    else
        staged_.push_back(std::move(one));
    return error;
}

// The sidecar first: a chunk is there as soon as its payload is.
int chunk_writer::write(open_chunk& one, std::string_view payload, std::string_view sidecar) {
    if (files_.has_sidecars())
        if (const int error = make(name_of(files_.sidecar(one.chunk)), sidecar, one.sidecar, one.has_sidecar); error != 0) return error;
    if (const int error = make(name_of(files_.payload(one.chunk)), payload, one.payload, one.has_payload); error != 0) return error;
    if (synced_) return 0;
    one.payload.close();
    one.sidecar.close();
    return 0;
}

// A reader removes directories that are empty: this one's may be gone again as soon as it is made.
int chunk_writer::make(const std::string& file, std::string_view content, descriptor& to, bool& is_made) {
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL, most_tries = 1000;
    to = spool_.open_file(file, flags);
    for (int tries = 0; !to && errno == ENOENT && tries < most_tries && file.find('/') != std::string::npos; ++tries) {
        const int error = spool_.make_directories(file, [this](std::string_view parent) { changes(parent); });
        if (error != 0 && error != ENOENT) return error;
        if (error == ENOENT && !spool_.is_in_place()) return error;
        to = spool_.open_file(file, flags);
    }
    if (!to) return errno;
    is_made = true;
    return write_whole(to.number(), content);
}

int chunk_writer::sync() {
    if (!synced_) return 0;
    for (const open_chunk& one : staged_) {
        int error = ::fsync(one.payload.number()) == 0 ? 0 : errno;
        if (error == 0 && one.sidecar && ::fsync(one.sidecar.number()) != 0) error = errno;
        if (error == 0) continue;
        take_back_all();
        return error;
    }
    for (open_chunk& one : staged_) one.payload.close(), one.sidecar.close();
    return 0;
}

int chunk_writer::publish() {
    const open_chunk one = std::move(staged_.front());
    staged_.erase(staged_.begin());
    const int error = rename(one);
    if (error == 0) enter(directory_of(one.chunk));
    return error;
}

// A directory that was there may be what another producer has made: one that was killed, or has yet to synchronise the parents.
void chunk_writer::enter(std::string_view directory) {
    changes(directory);
    if (alone_ && directory == entered_) return;
    entered_ = directory;
    while (!directory.empty()) changes(directory = directory_of(directory));
}

int chunk_writer::rename(const open_chunk& one) {
    if (!atomic_) return 0;
    const std::string payload = files_.payload(one.chunk), sidecar = files_.sidecar(one.chunk);
    if (files_.has_sidecars()) {
        if (const int error = spool_.rename_new(chunk_files::unfinished(sidecar), sidecar); error != 0) return take_back(one), error;
    }
    const int error = spool_.rename_new(chunk_files::unfinished(payload), payload);
    if (error == 0) return 0;
    if (files_.has_sidecars()) spool_.remove(sidecar);
    take_back(one);
    return error;
}

void chunk_writer::take_back(const open_chunk& one) const noexcept {
    if (one.has_payload) spool_.remove(name_of(files_.payload(one.chunk)));
    if (one.has_sidecar) spool_.remove(name_of(files_.sidecar(one.chunk)));
}

void chunk_writer::take_back_all() noexcept {
    for (const open_chunk& one : staged_) take_back(one);
    staged_.clear();
}

int chunk_writer::sync_directories() {
    int error = 0;
    while (!changed_.empty() && (error = spool_.sync(*changed_.begin())) == 0) changed_.erase(changed_.begin());
    return error;
}

}  // namespace mqb::dir_spool
