// Lent: the inner side that the kit lends to a middleware: an in-memory consumer and publisher that answer at once or later, from one
// thread, one at a time.
#pragma once
#include "publisher.hpp"

#include <deque>

namespace mqb::conformance {

enum class answering { at_once, later };

class lent_consumer {
public:
    static lent_consumer& make(answering);  // kept for ever
    mqb_child child() { return {MQB_SIDE_CONSUMER, 0, {nullptr, 0}, &face_.base}; }
    void deliver_under(std::recursive_mutex* serial);
    void put(const letter&);
    void end();  // nothing more will come

    std::size_t acknowledged();
    std::size_t given();
    std::size_t batches_out();
    std::size_t waiting();
    static mqb_promises promises();

private:
    struct face {
        mqb_consumer base;
        lent_consumer* self;
    };
    struct load {  // one batch
        std::vector<letter> letters;
        std::vector<bool> settled;
        hostile_list<mqb_message> list;
        kit_owner* owner;
    };
    explicit lent_consumer(answering);
    static lent_consumer& of(mqb_consumer*);
    void fill(mqb_receive*);
    void work();

    static mqb_status on_receive(mqb_consumer*, mqb_receive*);
    static mqb_status on_settle(mqb_consumer*, mqb_settle*);
    static void on_free_batch(mqb_consumer*, void*);
    static void on_cancel(mqb_consumer*, std::uint64_t);
    static const mqb_consumer_table table_;

    face face_;
    answering how_;
    std::recursive_mutex* serial_ = nullptr;
    std::mutex guard_;
    std::condition_variable changed_;
    std::deque<letter> queue_;
    std::set<load*> out_;
    mqb_receive* asked_ = nullptr;
    bool cancelled_ = false, ended_ = false;
    std::size_t acknowledged_ = 0, given_ = 0;
};

class lent_publisher {
public:
    static lent_publisher& make(answering);
    mqb_child child() { return {MQB_SIDE_PUBLISHER, 0, {nullptr, 0}, &face_.base}; }
    void deliver_under(std::recursive_mutex* serial);
    // Answers nothing until it is called again with false.
    void hold(bool);
    // A send that waits here was given this array.
    bool uses(const mqb_list&);
    std::vector<std::string> sent();
    static mqb_promises promises();

private:
    struct face {
        mqb_publisher base;
        lent_publisher* self;
    };
    struct waiting {
        mqb_send* send;
        bool cancelled;
    };
    explicit lent_publisher(answering);
    static lent_publisher& of(mqb_publisher*);
    void take(mqb_send*);
    void work();
    static mqb_status on_send(mqb_publisher*, mqb_send*);
    static void on_cancel(mqb_publisher*, std::uint64_t);
    static const mqb_publisher_table table_;

    face face_;
    answering how_;
    std::recursive_mutex* serial_ = nullptr;
    std::mutex guard_;
    std::condition_variable changed_;
    std::deque<waiting> waiting_;
    bool held_ = false;
    std::vector<std::string> sent_;
};

}  // namespace mqb::conformance
