-- MySQL dump 10.13  Distrib 8.0.40, for Linux (x86_64)
--
-- Host: localhost    Database: umami
-- ------------------------------------------------------
/*!40103 SET TIME_ZONE='+00:00' */;

DROP TABLE IF EXISTS `event_data`;
CREATE TABLE `event_data` (
  `event_data_id` varchar(36) NOT NULL,
  `data_key` varchar(500) NOT NULL,
  PRIMARY KEY (`event_data_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `event_data` VALUES ('d1','plan'),('d2','(seats)');

CREATE TABLE `session` (
  `session_id` varchar(36) NOT NULL,
  `website_id` varchar(36) NOT NULL,
  `browser` varchar(20) DEFAULT NULL,
  `os` varchar(20) DEFAULT NULL,
  `device` varchar(20) DEFAULT NULL,
  `screen` varchar(11) DEFAULT NULL,
  `language` varchar(35) DEFAULT NULL,
  `country` char(2) DEFAULT NULL,
  `region` varchar(20) DEFAULT NULL,
  `city` varchar(50) DEFAULT NULL,
  `created_at` timestamp NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (`session_id`),
  KEY `session_created_at_idx` (`created_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

LOCK TABLES `session` WRITE;
INSERT INTO `session` VALUES ('s1','w1','chrome','Windows 10','desktop','1920x1080','en-US','DE','DE-BE','Berlin','2026-11-20 10:00:00'),('s2','w2','ios','iOS','mobile','390x844','de','AT',NULL,NULL,'2026-11-20 10:00:00');
UNLOCK TABLES;

CREATE TABLE `website_event` (
  `event_id` varchar(36) NOT NULL,
  `website_id` varchar(36) NOT NULL,
  `session_id` varchar(36) NOT NULL,
  `visit_id` varchar(36) NOT NULL,
  `created_at` timestamp NULL DEFAULT CURRENT_TIMESTAMP,
  `url_path` varchar(500) NOT NULL,
  `url_query` varchar(500) DEFAULT NULL,
  `referrer_path` varchar(500) DEFAULT NULL,
  `referrer_domain` varchar(500) DEFAULT NULL,
  `page_title` varchar(500) DEFAULT NULL,
  `event_type` int unsigned NOT NULL DEFAULT '1',
  `event_name` varchar(50) DEFAULT NULL,
  `hostname` varchar(100) DEFAULT NULL,
  PRIMARY KEY (`event_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `website_event` VALUES ('e1','w1','s1','v1','2026-11-20 10:00:00','/dump','utm_source=mail','/search','google.com','It\'s (1), \\ and ''two''',1,NULL,'shop.example'),('e2','w1','s1','v1','2026-11-20 10:01:00','/dump','','',NULL,_binary 'Dump',2,'signup','shop.example');
INSERT INTO `website_event` (`event_id`, `website_id`, `session_id`, `created_at`, `url_path`, `event_type`, `hostname`) VALUES
('e3','w2','s2','2026-11-20 10:01:00','/',1,'other.example'),
('e4','w1');
-- Dump completed on 2026-11-20 12:00:00
